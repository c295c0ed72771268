import FlowNATSSupport
import Glibc

/// A connection to the NATS of a world, as that has it.
final class NATSConnection {
  private let socket: SimulatedSocket
  private let world: World
  private unowned let nats: SimulatedNATS
  private var input = NATSInput()
  private var unsent: ArraySlice<UInt8> = []
  private var subscriptions: [Subscription] = []
  private var isOpen = true
  private var isToRead = false

  private struct Subscription {
    let pattern: [Substring]
    let number: String

    func takes(_ words: [Substring]) -> Bool {
      for (index, part) in pattern.enumerated() {
        if part == ">" { return words.count > index }
        guard index < words.count, part == "*" || part == words[index] else { return false }
      }
      return words.count == pattern.count
    }
  }

  private static let info =
    #"INFO {"server_id":"SIMULATED","version":"2.15.1","headers":true,"jetstream":true,"#
    + #""max_payload":1048576}"#

  init(_ socket: SimulatedSocket, _ world: World, _ nats: SimulatedNATS) {
    self.socket = socket
    self.world = world
    self.nats = nats
    // It is not the program that has no memory for a call.
    socket.isPrograms = false
    socket.wake = { [weak self] in self?.wake() }
    say("\(Self.info)\r\n")
    wake()
  }

  // MARK: What is said

  func hears(_ subject: String) -> Bool {
    let words = subject.split(separator: ".")
    return subscriptions.contains { $0.takes(words) }
  }

  /// Sends a message to each subscription that takes it.
  func say(_ message: NATSOutput) {
    let words = message.target.split(separator: ".")
    for subscription in subscriptions where subscription.takes(words) {
      say(message.bytes(for: subscription.number))
    }
  }

  private func say(_ text: String) { say(Array(text.utf8)) }

  private func say(_ bytes: [UInt8]) {
    unsent += bytes
    send()
  }

  private func send() {
    while isOpen, !unsent.isEmpty {
      let count = unsent.withUnsafeBytes { socket.send($0) }
      if count <= 0 { return }
      unsent = unsent.dropFirst(count)
    }
  }

  // MARK: What is heard

  private func wake() {
    send()
    guard isOpen, !isToRead else { return }
    isToRead = true
    world.after(UInt64(world.dice.pick(1_000...50_000))) { [weak self] in self?.read() }
  }

  private func read() {
    isToRead = false
    guard isOpen else { return }
    let most = 65_536
    let count = withUnsafeTemporaryAllocation(byteCount: most, alignment: 1) { place in
      guard let start = place.baseAddress else { return 0 }
      let count = socket.read(into: start, most)
      if count > 0 { input.add(place[..<count]) }
      return count
    }
    if count > 0 {
      while isOpen, let item = input.next() { hears(item) }
      if isOpen, socket.input.waiting > 0 || socket.input.hasEnded || socket.error != 0 { wake() }
    } else if count == 0 || socket.error != 0 || count != -Int(EAGAIN) {
      close(resets: false)
    }
  }

  private func hears(_ item: NATSInput.Item) {
    switch item {
    case .line(let line):
      let words = line.split(separator: " ").map(String.init)
      if words.first == "PING" { say("PONG\r\n") }
      guard words.first == "SUB", words.count > 2 else { return }
      let pattern = words[1].split(separator: ".")
      subscriptions.append(Subscription(pattern: pattern, number: words[words.count - 1]))
    case .message(let subject, let reply, let headers, let payload):
      nats.published(.init(subject, headers, payload), reply: reply)
    }
  }

  func close(resets: Bool) {
    guard isOpen else { return }
    isOpen = false
    unsent = []
    socket.wake = nil
    if resets { socket.resetsOnClose = true }
    socket.close()
    nats.closed(self)
  }
}
