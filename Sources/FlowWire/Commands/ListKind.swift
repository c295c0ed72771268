/// What `LIST` can list.
public enum ListKind: String, Sendable, CaseIterable {
  case subjects, pipelines, services, streams, clients
}
