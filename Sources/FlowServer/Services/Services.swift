/// The services that have workers or calls, by name: a name space of their own.
final class Services {
  private var byName: [String: Service] = [:]
  /// The one that was asked for last is most likely the next one, too.
  private var last: Service?

  /// The service called `name`; it begins with its first worker or call.
  func service(_ name: String, in engine: Engine) -> Service {
    if let last, last.name == name { return last }
    let service = byName[name] ?? Service(name: name, engine: engine)
    byName[name] = service
    last = service
    return service
  }

  /// The service called `name`, if there is one.
  subscript(name: String) -> Service? { byName[name] }

  /// Forgets a service that has neither workers nor calls.
  func forget(_ service: Service) {
    if byName[service.name] === service { byName[service.name] = nil }
    if last === service { last = nil }
  }

  /// All of them, by name.
  var sorted: [Service] { byName.values.sorted { $0.name < $1.name } }
}
