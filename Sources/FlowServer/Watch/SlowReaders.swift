internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire
internal import Spelling

/// Whose subscriptions hold up lossless subjects at the moment; each subject is looked at once.
final class SlowReaders {
  private let engine: Engine
  private var known: [String: [SlowReader]] = [:]
  /// Those that read, or send, no more.
  private lazy var failed = engine.registry.runs.filter { $0.failure != nil }
  /// The services that calls wait for and that have no worker on this server.
  private(set) lazy var unserved = engine.services.sorted.compactMap {
    UnservedService($0, isShared: engine.stores.calls != nil)
  }

  init(_ engine: Engine) { self.engine = engine }

  /// Who holds up `subject` for longest, if that is nobody who reads it by the name `other`.
  func reader(of subject: ServerSubject, but other: String? = nil) -> SlowReader? {
    let readers = readers(of: subject)
    return readers.contains { $0.name == other } ? nil : readers.first
  }

  /// A run that sent to `subject` and has failed.
  func failedRun(sendingTo subject: String) -> Run? {
    failed.first { $0.standing.target == subject }
  }

  /// A run that read `subject` and has failed.
  func failedRun(reading subject: String) -> Run? {
    failed.first { $0.standing.pipeline.subjects.contains(subject) }
  }

  /// A run that sends to `subject`, and waits for a service without a worker.
  func unservedRun(sendingTo subject: String) -> Run? {
    unserved.lazy.compactMap { $0.run(sendingTo: subject) }.first
  }

  /// A reader of a subject that has no credit now.
  func reader(withoutCreditAt subject: ServerSubject) -> SlowReader? {
    var found: SlowReader?
    for part in subject.readable where part.starved > 0 {
      part.forEachOutlet { outlet in
        if found == nil, outlet.available == 0 {
          found = engine.slowReader(outlet, of: subject.name)
        }
      }
    }
    return found
  }

  /// Those that hold it up, the one first that does so for longest.
  private func readers(of subject: ServerSubject) -> [SlowReader] {
    if let known = known[subject.name] { return known }
    var found: [(stalled: Int64, reader: SlowReader)] = []
    // Where values are kept elsewhere, publishers go on until there is no more room for them.
    let mayHoldBack = subject.backend.map { $0.figures.stored > 0 } ?? true
    if subject.isLossless {
      for part in subject.readable where part.starved > 0 {
        part.forEachOutlet { outlet in
          // A remote publisher without a grant keeps its values to itself.
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
  /// Whoever reads by `outlet`, as a sentence names it.
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

  /// Whom an outlet serves.
  func owner(of outlet: Outlet) -> (any PipelineOwner)? {
    switch outlet {
    case let outlet as StreamOutlet: outlet.reader
    case let outlet as PipelineOutlet: (outlet.reader as? RunningContext)?.served
    default: nil
    }
  }

  /// The subscription of a client that is told as `CLIENT.ID`.
  func subscription(_ place: String) -> ClientSubscription? {
    let parts = place.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let client = Int(parts[0]), let id = UInt64(parts[1]),
      case .subscription(let stream)? = clients[client]?.open[id]
    else { return nil }
    return stream
  }

  /// A service as it is now, also one that nobody has heard of.
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
  /// `CLIENT.ID`, as it is told apart from all others.
  var place: String { "\(client.id).\(id)" }

  /// Whom it serves, as a sentence names it.
  var person: String {
    guard let name = client.session.name else { return "client \(client.id)" }
    return "client \(client.id) (\(name.excerpt(40)))"
  }
}
