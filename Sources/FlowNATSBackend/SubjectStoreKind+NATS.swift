package import FlowNATS
public import FlowServer

extension SubjectStoreKind {
  /// NATS JetStream, for subjects with `on=nats`.
  public static var nats: Self { Self(SharedSubjects.self) }
}

extension Engine {
  /// Connects to the NATS that `dialer` reaches, which a test plays.
  package func connect(toNATS dialer: any NATSDialer) {
    let store = SharedSubjects(engine: self, dialer: dialer)
    stores.add(store)
    store.start()
  }
}
