import FlowTransport

/// Somebody at the other end of a connection of the world.
///
/// What he says and hears goes past his witness.
final class Actor {
  let model: ActorModel
  private let world: World
  private let heard: (LineReader.Item) -> Void
  private let ended: (_ isReset: Bool) -> Void
  private var socket: SimulatedSocket?
  private var unsent: ArraySlice<UInt8> = []
  private var reader = LineReader()
  private var isReading = true
  private var isToRead = false
  private(set) var endsInput = false
  private(set) var isOpen = false
  /// Where it connects from, as the server sees it.
  private(set) var ownAddress: String?
  /// Reads all there is from now on.
  private var isHurried = false

  init(
    _ model: ActorModel,
    _ world: World,
    heard: @escaping (LineReader.Item) -> Void,
    ended: @escaping (_ isReset: Bool) -> Void
  ) {
    self.model = model
    self.world = world
    self.heard = heard
    self.ended = ended
  }

  /// Returns whether anybody took the call.
  func connect(to address: SocketAddress, from host: String = "127.0.0.1") -> Bool {
    guard !isOpen, let socket = world.dial(address, from: host) else { return false }
    self.socket = socket
    ownAddress = socket.other?.peer.description
    isOpen = true
    isReading = true
    endsInput = false
    unsent = []
    reader = LineReader()
    socket.wake = { [weak self] in self?.wake() }
    return true
  }

  func say(_ text: String) { say(Array(text.utf8)) }

  func say(_ bytes: [UInt8]) {
    guard isOpen, !endsInput else { return }
    unsent += bytes
    send()
  }

  private func send() {
    guard let socket else { return }
    while !unsent.isEmpty {
      let count = unsent.withUnsafeBytes { socket.send($0) }
      if count <= 0 { return }
      unsent = unsent.dropFirst(count)
    }
    if endsInput { socket.shutDownOutput() }
  }

  private func wake() {
    send()
    guard isReading, !isToRead else { return }
    isToRead = true
    let rest = isHurried ? 0 : UInt64(model.rest) * 1000
    world.after(rest + UInt64(world.dice.pick(500...20_000))) { [weak self] in
      self?.read()
    }
  }

  private func read() {
    isToRead = false
    guard isReading, let socket else { return }
    let most = isHurried ? 65_536 : model.gulp
    let count = withUnsafeTemporaryAllocation(byteCount: most, alignment: 1) { place in
      guard let start = place.baseAddress else { return 0 }
      let count = socket.read(into: start, most)
      if count > 0 {
        let items = reader.take(Array(place[..<count])[...])
        for item in items { heard(item) }
      }
      return count
    }
    if count > 0 {
      if socket.input.waiting > 0 || socket.input.hasEnded || socket.error != 0 { wake() }
    } else if count == 0 {
      end(isReset: false)
    } else if socket.error != 0 || count != -11 {
      end(isReset: true)
    }
  }

  private func end(isReset: Bool) {
    guard isOpen else { return }
    isOpen = false
    let socket = socket
    self.socket = nil
    socket?.close()
    ended(isReset)
  }

  func stopReading() { isReading = false }

  func readOn() {
    isReading = true
    if isOpen { wake() }
  }

  func hurry() {
    isHurried = true
    readOn()
  }

  func endInput() {
    endsInput = true
    send()
  }

  func close() {
    guard isOpen else { return }
    end(isReset: true)
  }

  func reset() {
    socket?.resetsOnClose = true
    close()
  }

  func vanish() {
    guard isOpen else { return }
    socket?.vanish()
    socket = nil
    isOpen = false
    ended(true)
  }

  func stall(_ nanoseconds: UInt64) {
    guard let socket else { return }
    for pipe in [socket.input, socket.output] { pipe.stalledUntil = world.now + nanoseconds }
  }
}
