import FlowNATSSupport
import FlowTransport

/// A nats-server with JetStream in a world: connections, subscriptions, and a model of the streams.
///
/// It does one thing after the other, each after a while, and answers then. What it has stored is there when it comes
/// back, as with `sync_interval: always`, unless the story has it lose something.
final class SimulatedNATS {
  static let address = "127.0.0.1:4222"

  private let world: World
  private let chronicle: Chronicle
  private var model: JetStreamModel?
  private var listener: SimulatedListener?
  private var connections: [NATSConnection] = []
  /// The longest time that it takes for one thing, in nanoseconds.
  private var slowness = SimulatedNATS.usualSlowness
  private static let usualSlowness = 500_000
  /// When the last thing is done that it has to do.
  private var busyUntil: UInt64 = 0
  /// Counts starts and stops, so that what a stop has ended is not done.
  private var life = 0

  init(_ world: World, _ chronicle: Chronicle) {
    self.world = world
    self.chronicle = chronicle
    model = JetStreamModel(
      now: { [unowned world] in Int64(world.now) },
      send: { [weak self] message in self?.say(message) }
    )
    model?.mostReplicas = 1
  }

  var isUp: Bool { listener != nil }

  private func note(_ what: String) { chronicle.note("nats \(what)") }

  // MARK: Its life

  func start() {
    guard listener == nil, let place = try? SocketAddress(parsing: Self.address),
      let listener = (try? world.listen(on: place)) as? SimulatedListener
    else { return }
    note("is there")
    self.listener = listener
    life += 1
    listener.wake = { [weak self] in self?.accept() }
    tick()
  }

  /// Ends at once: what it has not done is lost, and so is all that it has in memory.
  func stop() {
    guard let listener else { return }
    note("is gone")
    self.listener = nil
    life += 1
    busyUntil = 0
    world.close(listener.descriptor)
    cut()
    model?.restart()
  }

  /// Resets all connections.
  func cut() {
    for connection in connections { connection.close(resets: true) }
  }

  private func tick() {
    let life = life
    world.after(1_000_000_000) { [weak self] in
      guard let self, self.life == life else { return }
      model?.timePasses()
      tick()
    }
  }

  private func accept() {
    while let listener, !listener.waiting.isEmpty {
      connections.append(NATSConnection(listener.waiting.removeFirst(), world, self))
    }
  }

  func closed(_ connection: NATSConnection) {
    connections.removeAll { $0 === connection }
    model?.forgetPulls { !isHeard($0) }
  }

  // MARK: What goes wrong

  /// All goes well again.
  func heal() {
    slowness = Self.usualSlowness
    model?.room = nil
    start()
  }

  func setSlowness(_ nanoseconds: Int) { slowness = max(nanoseconds, Self.usualSlowness) }

  /// There is disk for so many messages more; nil is for any number.
  func setRoom(_ count: Int?) { model?.room = count }

  /// Stops, and loses the last `count` values of a subject; returns these.
  func loseEnd(of subject: String, _ count: Int) -> [String] {
    stop()
    guard let stream = model?.streams["flow_\(subject)"] else { return [] }
    let last = stream.last - min(UInt64(count), stream.last)
    let lost = stream.messages.filter { $0.sequence > last }.map(\.text)
    stream.loseEnd(behind: last)
    // Consumers and what is known of ids go by what is left.
    model?.restart()
    return lost
  }

  /// Stops, and loses the whole stream of a subject; returns its values.
  func loseStream(of subject: String) -> [String] {
    stop()
    let stream = model?.streams.removeValue(forKey: "flow_\(subject)")
    return stream?.messages.map(\.text) ?? []
  }

  // MARK: What it is told

  func published(_ message: JetStreamModel.NewMessage, reply: String) {
    let subject = message.subject
    let text = String(decoding: message.payload, as: UTF8.self)
    if subject.hasPrefix("$JS.API.") {
      guard let request = JetStreamModel.Request(String(subject.dropFirst(8))) else { return }
      return later { [weak self] in self?.perform(request, text, reply) }
    }
    if subject.hasPrefix("$JS.ACK.") {
      return later { [weak self] in
        guard let self else { return }
        model?.acknowledge(subject, text)
        if !reply.isEmpty { say(NATSOutput(to: reply)) }
      }
    }
    let isHeard = isHeard(subject)
    say(NATSOutput(to: subject, reply: reply, payload: message.payload))
    later { [weak self] in self?.store(message, reply, isHeard: isHeard) }
  }

  /// Does `work` when all is done that it was told before.
  private func later(_ work: @escaping () -> Void) {
    busyUntil = max(busyUntil, world.now + UInt64(world.dice.size(upTo: slowness)))
    let life = life
    world.at(busyUntil) { [weak self] in
      if let self, self.life == life { work() }
    }
  }

  private func perform(_ request: JetStreamModel.Request, _ text: String, _ reply: String) {
    let words = [request.kind, request.stream] + request.words
    note("\(words.joined(separator: " ")) \(text.prefix(200))")
    switch model?.answer(request, text, to: reply) {
    case .json(let json)?: say(NATSOutput(to: reply, payload: Array(json.utf8)))
    case .status(let text)?: say(.status(text, to: reply))
    case .nothing?, nil: break
    }
  }

  private func store(_ message: JetStreamModel.NewMessage, _ reply: String, isHeard: Bool) {
    switch model?.take(message) {
    case .untaken?:
      // Whoever heard it may answer.
      if !isHeard, !reply.isEmpty { say(.status("503", to: reply)) }
    case .ready(let stream, let new)?:
      let answer = model?.store(new, in: stream) ?? ""
      let texts = new.map { String(decoding: $0.payload, as: UTF8.self).prefix(20) }
      note("\(stream.name) gets \(texts.joined(separator: " ")): \(answer)")
      if !reply.isEmpty { say(NATSOutput(to: reply, payload: Array(answer.utf8))) }
    case .unfinished?, nil: break
    }
  }

  // MARK: What it says

  private func isHeard(_ subject: String) -> Bool { connections.contains { $0.hears(subject) } }

  private func say(_ message: NATSOutput) {
    for connection in connections { connection.say(message) }
  }
}
