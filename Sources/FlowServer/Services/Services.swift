internal import FlowCore

/// The services by name; their names are separate from all others.
package final class Services {
  private var byName = RecentTable<String, Service>()

  /// Returns the service `name`, made if needed.
  func service(_ name: String, in engine: Engine) -> Service {
    if let service = byName[name] { return service }
    let service = Service(name: name, engine: engine)
    byName[name] = service
    return service
  }

  package subscript(name: String) -> Service? { byName[name] }

  func forget(_ service: Service) {
    if byName[service.name] === service { byName[service.name] = nil }
  }

  /// All services, sorted by name.
  var sorted: [Service] { byName.values }
}
