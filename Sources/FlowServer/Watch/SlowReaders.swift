internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire
internal import Spelling

/// Finds whose subscriptions hold up lossless subjects now; caches the answer for each subject.
final class SlowReaders {
  private let engine: Engine
  private var known: [String: [SlowReader]] = [:]
  /// Runs that have failed.
  private lazy var failed = engine.registry.runs.filter { $0.failure != nil }
  /// Services with waiting calls and no worker on this server.
  private(set) lazy var unserved = engine.services.sorted.compactMap {
    UnservedService($0, isShared: engine.stores.calls != nil)
  }

  init(_ engine: Engine) { self.engine = engine }

  /// The reader that has held up `subject` longest, except for readers by the name `other`.
  func reader(of subject: ServerSubject, but other: String? = nil) -> SlowReader? {
    let readers = readers(of: subject)
    return readers.contains { $0.name == other } ? nil : readers.first
  }

  /// The reason why nothing is sent to `subject`: a run has failed, or waits for a service.
  func fault(sendingTo subject: String) -> RunFault? {
    let waiting = unserved.lazy.flatMap(\.owners).compactMap { $0 as? Run }
    return failed.first { $0.standing.target == subject }.map(RunFault.failed)
      ?? waiting.first { $0.standing.target == subject }.map(RunFault.unserved)
  }

  /// A failed run that read `subject`.
  func fault(reading subject: String) -> RunFault? {
    failed.first { $0.standing.pipeline.subjects.contains(subject) }.map(RunFault.failed)
  }

  func reader(withoutCreditAt subject: ServerSubject) -> SlowReader? {
    var found: SlowReader?
    for part in subject.readable where part.withoutCredit > 0 {
      part.forEachOutlet { outlet in
        if found == nil, outlet.available == 0, !(subject.isLossless && outlet.holds) {
          found = engine.slowReader(outlet, of: subject.name)
        }
      }
    }
    return found
  }

  /// The readers that hold the subject up, longest first.
  private func readers(of subject: ServerSubject) -> [SlowReader] {
    if let known = known[subject.name] { return known }
    var found: [(stalled: Int64, reader: SlowReader)] = []
    // A backend takes values of publishers until it has no more room.
    let mayHoldBack = subject.backend.map { $0.figures.stored > 0 } ?? true
    if subject.isLossless {
      for part in subject.readable where part.starved > 0 {
        part.forEachOutlet { outlet in
          // A remote publisher without a grant holds its values back.
          guard
            let stalled = part.stalled(outlet) ?? (mayHoldBack ? part.holdsBack(outlet) : nil),
            let reader = engine.slowReader(outlet, of: subject.name)
          else { return }
          found.append((stalled, reader))
        }
      }
    }
    var readers = found.sorted { $0.stalled > $1.stalled }.map(\.reader)
    if readers.isEmpty, let away = engine.slowReaderElsewhere(of: subject) { readers = [away] }
    known[subject.name] = readers
    return readers
  }
}

extension Engine {
  /// The reader behind `outlet`, with its label.
  func slowReader(_ outlet: Outlet, of subject: String) -> SlowReader? {
    switch owner(of: outlet) {
    case let stream as ClientSubscription:
      SlowReader(
        name: stream.name == "-" ? subject : stream.name,
        label: stream.person,
        stream: stream.place
      )
    case let run as Run:
      SlowReader(name: run.name, label: "run \(run.name)", stream: nil, run: run.name)
    default: nil
    }
  }

  /// The reader on another server that holds up a subject, as far as this server knows.
  fileprivate func slowReaderElsewhere(of subject: ServerSubject) -> SlowReader? {
    guard let backend = subject.backend, case let figures = backend.figures, figures.stored > 0,
      subject.waitingInAll > 0 || backend.intake.isWaitedFor && figures.isFull,
      let slowest = figures.slowest
    else { return nil }
    let who =
      switch slowest.kind {
      case .subscriptions: "a subscription on \(slowest.server)"
      case .run(let name): "run \(name) on \(slowest.server)"
      case .durable(let name): "durable \(name) on \(slowest.server)"
      case .foreign(let name): "consumer \(name) of another client of NATS"
      }
    let run: String? = if case .run(let name) = slowest.kind { name } else { nil }
    return SlowReader(name: subject.name, label: who, stream: nil, run: run)
  }

  func owner(of outlet: Outlet) -> (any PipelineOwner)? {
    switch outlet {
    case let outlet as StreamOutlet: outlet.reader
    case let outlet as PipelineOutlet: (outlet.reader as? RunningContext)?.served
    default: nil
    }
  }

  /// Finds the subscription `CLIENT.ID`.
  func subscription(_ place: String) -> ClientSubscription? {
    guard let place = StreamPlace(place[...]),
      case .subscription(let stream)? = clients[place.client]?.open[place.id.rawValue]
    else { return nil }
    return stream
  }

  /// The service, or an empty one if it does not exist.
  func service(_ name: String) -> Service { services[name] ?? Service(name: name, engine: self) }
}

extension RecentService {
  init(_ service: Service, isShared: Bool) {
    name = service.name
    workers = service.workers.count
    waiting = service.waitingCount
    running = service.running
    isFull = service.demand == .none
    self.isShared = isShared
  }
}

extension ClientSubscription {
  /// `CLIENT.ID`, unique in the server.
  var place: String { "\(client.id).\(id)" }

  /// Its client, for a sentence.
  var person: String {
    guard let name = client.session.name else { return "client \(client.id)" }
    return "client \(client.id) (\(name.excerpt(40)))"
  }
}
