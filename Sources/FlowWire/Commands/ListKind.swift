/// What `LIST` can list.
public enum ListKind: String, Sendable, CaseIterable {
  case subjects, pipelines, runs, services, streams, clients
}
