/// The topics of HELP besides commands, operators and functions.
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
