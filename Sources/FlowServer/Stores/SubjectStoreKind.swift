/// A kind of store for the values of subjects, outside a server's memory.
///
/// The target that implements the store has its kind, for example `.nats` of FlowNATSBackend.
public struct SubjectStoreKind: Sendable {
  let type: any SubjectStore.Type

  package init(_ type: any SubjectStore.Type) { self.type = type }
}
