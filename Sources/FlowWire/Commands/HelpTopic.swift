/// What HELP tells of besides commands, operators and functions, by the word that it is given.
public enum HelpTopic: String, Sendable, CaseIterable {
  case backpressure
  case demand
  case subjects
  case pipelines
  case subscriptions
  case publications
  case calls
  case values
  case closures
  case errors
  case limits
  case names
  case netcat
  case events
  case metrics
}
