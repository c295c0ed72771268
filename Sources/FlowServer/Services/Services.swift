internal import FlowCore

/// The services that have workers or calls, by name: a name space of their own.
final class Services {
  private var byName = RecentTable<String, Service>()

  /// The service called `name`; it begins with its first worker or call.
  func service(_ name: String, in engine: Engine) -> Service {
    if let service = byName[name] { return service }
    let service = Service(name: name, engine: engine)
    byName[name] = service
    return service
  }

  /// The service called `name`, if there is one.
  subscript(name: String) -> Service? { byName[name] }

  /// Forgets a service that has neither workers nor calls.
  func forget(_ service: Service) {
    if byName[service.name] === service { byName[service.name] = nil }
  }

  /// All of them, by name.
  var sorted: [Service] { byName.values }
}
