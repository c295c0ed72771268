import FlowRemote
import FlowTransport
import FlowWire

/// A connection of a bench: greets, opens its one stream, and passes on the server's messages.
class BenchClient: ConnectionHandler {
  /// The id of the one stream of each connection.
  static let stream = StreamID(rawValue: 1)

  unowned let run: BenchRun
  private(set) var connection: Connection?
  private(set) var isReady = false
  private(set) var isGone = false
  private var decoder = FrameDecoder(
    limits: FrameLimits(line: 1 << 20, value: 1 << 26, skip: 1 << 26)
  )

  init(_ run: BenchRun) { self.run = run }

  var opening: Command { .ping(nil) }
  func opened(demand: Demand) {}
  func handle(_ line: TaggedServerLine) {}
  /// Handles the value in `place`, and may read further values behind it.
  func receive(_ place: Range<Int>, from start: Int, in input: inout BenchInput) {}
  /// Whether input may be read now.
  var isReading: Bool { true }
  /// Called when all input was read.
  func inputRead() {}
  func drained() {}

  func attach(_ connection: Connection) {
    self.connection = connection
    connection.lowWater = 32 << 10
  }

  func say(_ command: Command, tag: String? = nil) {
    connection?.append(TaggedCommand(tag: tag, command).bytes)
  }

  /// Ends this connection after an error that concerns no other.
  func leave(_ error: RemoteError) {
    guard !isGone else { return }
    isGone = true
    connection?.close()
    connection = nil
    run.left(self, error)
  }

  private func read(line bytes: UnsafeRawBufferPointer) {
    guard unsafe !bytes.isEmpty else { return }
    do throws(WireError) {
      let line = unsafe try TaggedServerLine(bytes)
      switch line.line {
      case .greeting(let greeting): greet(greeting)
      case .ok(.open(_, _, _, let demand, _)): open(demand)
      case .error(let code, let text): leave(.refused(code: code, text: text))
      case .bye(let code, let text): leave(.goodbye(code: code, text: text))
      default: handle(line)
      }
    } catch {
      leave(.protocolBroken("the server does not speak the protocol: \(error.message)"))
    }
  }

  private func greet(_ greeting: Greeting) {
    if greeting.needsToken {
      guard let token = run.target.token else { return leave(.needsToken) }
      say(.auth(token))
    }
    say(.hello(version: "1", ping: nil, name: "flowclient-bench"))
    say(opening)
  }

  private func open(_ demand: Demand) {
    guard !isReady else { return }
    isReady = true
    opened(demand: demand)
    run.becameReady()
  }

  // MARK: ConnectionHandler

  func connection(_ c: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    var input = unsafe BenchInput(buffer: buffer, decoder: decoder)
    receiving: while !isGone, isReading {
      let start = input.offset
      switch input.next() {
      case .incomplete: break receiving
      case .value(_, let place): receive(place, from: start, in: &input)
      case .line(let place): unsafe read(line: UnsafeRawBufferPointer(rebasing: buffer[place]))
      case .callValue, .send, .refused, .broken:
        leave(.protocolBroken("unexpected message from the server"))
      }
    }
    decoder = input.decoder
    if isGone { return buffer.count }
    inputRead()
    return input.offset
  }

  func connectionInputEnded(_ c: Connection) {
    leave(.lost("the server closed the connection"))
  }

  func connectionDrained(_ c: Connection) { drained() }

  func connectionClosed(_ c: Connection, _ error: TransportError?) {
    leave(.lost(error?.message ?? "the connection was closed"))
  }
}

/// The bytes of one read, and how far they were decoded.
@safe  // memory 8
struct BenchInput {
  let buffer: UnsafeRawBufferPointer
  var decoder: FrameDecoder
  var offset = 0

  init(buffer: UnsafeRawBufferPointer, decoder: FrameDecoder) {
    unsafe self.buffer = unsafe buffer
    self.decoder = decoder
  }

  mutating func next() -> Frame { unsafe decoder.next(buffer, &offset) }

  /// Reads the values that follow the one in `place`, whose frame begins at `start`.
  mutating func next(like place: Range<Int>, from start: Int, into batch: ValueBatch) {
    unsafe decoder.next(
      like: (start: start, payload: place.lowerBound),
      in: buffer,
      &offset,
      into: batch,
      limit: ValueBatch.capacity
    )
  }
}
