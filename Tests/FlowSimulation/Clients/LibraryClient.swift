import FlowCore
import FlowRemote
import FlowTransport

/// A program with FlowRemote at the other end: what it is told must be what the library promises.
///
/// It understands a few of an actor's lines: `SUB EXPR N`, `REQ n N`, `CANCEL n`, `PUB SUBJECT N`,
/// `SERVE NAME N`, where n counts its subscriptions from 1.
///
/// Unchecked: all happens on the thread of the world.
final class LibraryClient: @unchecked Sendable {
  let name: String
  private let world: World
  private let oracle: Oracle
  private let chronicle: Chronicle
  private var remote: FlowRemote?
  private var subscriptions: [Subscription] = []
  private var publications: [Publication] = []
  private var services: [AnyCancellable] = []
  private var waiting: [String] = []
  private var isClosed = false
  /// How often the connection was lost, after which cold expressions begin anew.
  private var losses = 0

  init(_ name: String, _ world: World, _ oracle: Oracle, _ chronicle: Chronicle) {
    self.name = name
    self.world = world
    self.oracle = oracle
    self.chronicle = chronicle
  }

  func connect(to address: String) {
    var settings = FlowRemote.Settings()
    settings.platform = world
    settings.name = name
    settings.token = ServerProcess.password
    settings.trace = { [weak self] trace in
      guard let self else { return }
      chronicle.note("\(name)\(trace.isInput ? "<" : ">") \(trace.line)")
    }
    settings.stateChanged = { [weak self] state in self?.changed(state) }
    FlowRemote.connect(to: address, settings: settings) { [weak self] result in
      self?.connected(result)
    }
  }

  private func changed(_ state: FlowRemote.State) {
    chronicle.note("\(name) is \(state)")
    if case .reconnecting = state { losses += 1 }
  }

  private func connected(_ result: Result<FlowRemote, RemoteError>) {
    switch result {
    case .success(let remote):
      guard !isClosed else { return remote.close() }
      self.remote = remote
      let lines = waiting
      waiting = []
      for line in lines { say(line) }
    case .failure(let error): chronicle.note("\(name) is not connected: \(error)")
    }
  }

  func say(_ line: String) {
    guard !isClosed else { return }
    guard let remote else { return waiting.append(line) }
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "SUB" where words.count > 2:
      let expression = words[1..<words.count - 1].joined(separator: " ")
      let subscription = Subscription(expression, self)
      oracle.mentions(expression)
      subscriptions.append(subscription)
      subscription.record.ask(words[words.count - 1])
      subscription.stream = remote.subscribe(
        expression,
        demand: Self.demand(words[words.count - 1]),
        handler: subscription
      )
    case "REQ" where words.count > 2:
      guard let subscription = subscription(words[1]), subscription.end == nil else { return }
      subscription.record.ask(words[2])
      subscription.stream?.request(Self.demand(words[2]))
    case "CANCEL" where words.count > 1:
      guard let subscription = subscription(words[1]) else { return }
      subscription.isCancelled = true
      subscription.stream?.cancel()
    case "PUB" where words.count > 2:
      let publication = Publication(words[1], words.dropFirst(2).map { $0 }, self)
      publications.append(publication)
      remote.perform { [weak self] in
        guard let self else { return }
        publication.stream = remote.publish(to: publication.subject, grant: 7, handler: publication)
        _ = self
      }
    case "SERVE" where words.count > 2:
      let jobs = max(1, Int(words[2]) ?? 1)
      services.append(
        remote.serve(words[1], jobs: jobs) { (argument: [UInt8]) in
          let number = Int(String(decoding: argument, as: UTF8.self)) ?? 0
          return Just(Array("\(number * 2)".utf8)).setFailureType(to: RemoteError.self)
        }
      )
    default: break
    }
  }

  private static func demand(_ word: String) -> Subscribers.Demand {
    guard let count = Int(word) else { return .unlimited }
    return .max(max(1, count))
  }

  private func subscription(_ word: String) -> Subscription? {
    guard let number = Int(word), subscriptions.indices.contains(number - 1) else { return nil }
    return subscriptions[number - 1]
  }

  /// What is still owed to it when there was time enough.
  func omissions() {
    guard remote != nil, !isClosed else { return }
    for subscription in subscriptions where losses == 0 && !subscription.isCancelled {
      if let omission = subscription.record.omission {
        oracle.complain("\(name): \(subscription.record.expression): \(omission)")
      }
    }
  }

  func close() {
    isClosed = true
    services = []
    remote?.close()
    remote = nil
    publications = []
    subscriptions = []
  }

  // MARK: What it is told

  private final class Subscription: RemoteSubscriptionHandler, @unchecked Sendable {
    let record: StreamRecord
    private weak var client: LibraryClient?
    var stream: RemoteSubscription?
    var isCancelled = false
    private(set) var end: String?

    init(_ expression: String, _ client: LibraryClient) {
      record = StreamRecord(expression)
      record.isOpen = true
      self.client = client
    }

    private func check(_ problem: String?, _ what: String) {
      guard let problem, let client else { return }
      client.oracle.complain("\(client.name): \(record.expression): \(problem); \(what)")
    }

    func subscription(_ s: RemoteSubscription, received payload: UnsafeRawBufferPointer) {
      guard let client else { return }
      let text = String(decoding: payload, as: UTF8.self)
      if isCancelled { return }
      if client.losses > 0 { record.isDoubtful = true }
      check(client.oracle.hears(text, by: client.name, of: record), text)
      check(record.value(text), text)
    }

    func subscriptionPassedValues(_ s: RemoteSubscription) {}

    func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String) {
      if client?.losses ?? 0 > 0 { record.isDoubtful = true }
      check(record.drop(Int(clamping: count), reason), "missed \(count)")
    }

    func subscription(_ s: RemoteSubscription, ended error: RemoteError?) {
      if end != nil { check("ended twice", "\(end ?? "")") }
      end = error.map { "\($0)" } ?? "DONE"
      if client?.losses ?? 0 > 0 { record.isDoubtful = true }
      // What the connection, or the one who closed it, has ended is no end of the values.
      guard case .failed(let code, _)? = error else {
        if error == nil { check(record.finish("DONE"), "DONE") } else { record.isOpen = false }
        return
      }
      check(record.finish("FAIL \(code)"), "FAIL \(code)")
    }
  }

  private final class Publication: RemotePublicationHandler, @unchecked Sendable {
    let subject: String
    private let number: Int
    private var values: ArraySlice<String>
    private weak var client: LibraryClient?
    var stream: RemotePublication?

    init(_ subject: String, _ values: [String], _ client: LibraryClient) {
      self.subject = subject
      number = client.publications.count
      self.values = values[...]
      self.client = client
    }

    func publicationMayContinue(_ p: RemotePublication) {
      guard let client else { return }
      while !p.isFull, let value = values.popFirst() {
        // It may be lost with its connection, so that no place among others is known.
        client.oracle.unsettles(subject)
        client.oracle.publishes(value, to: subject, by: "\(client.name) library \(number)")
        _ = Array(value.utf8).withUnsafeBytes { p.send($0) }
      }
      if values.isEmpty { p.finish { _ in } }
    }

    func publication(_ p: RemotePublication, ended error: RemoteError) {}
  }
}
