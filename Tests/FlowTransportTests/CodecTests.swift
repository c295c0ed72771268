import FlowTestSupport
import Testing

@testable import FlowTransport

/// Lines travel as `[LINE]`; either side ends with a `.`.
private final class Brackets: Codec {
  private var line: [UInt8] = []

  override func take(_ bytes: UnsafeRawBufferPointer, for connection: Connection) {
    for byte in bytes where !hasEnded {
      switch byte {
      case UInt8(ascii: "["): break
      case UInt8(ascii: "]"):
        connection.give(line + [0x0A])
        line = []
      case UInt8(ascii: "."): end()
      default: line.append(byte)
      }
    }
  }

  override func frame(_ output: UnsafeRawBufferPointer) -> Int {
    var offset = 0
    while frames.count < 1000, let end = output[offset...].firstIndex(of: 0x0A) {
      frames.append(UInt8(ascii: "["))
      frames.append(contentsOf: output[offset..<end])
      frames.append(UInt8(ascii: "]"))
      offset = end + 1
    }
    return offset
  }

  override func finish() { frames.append(UInt8(ascii: ".")) }
}

/// Sends back what it gets, which it notes; can pause.
private final class FramedEcho: Script, @unchecked Sendable {
  private var isPausing: Bool
  private let greeting: String
  private var connection: Connection?

  init(pausing: Bool = false, greeting: String = "") {
    isPausing = pausing
    self.greeting = greeting
  }

  override func opened(_ connection: Connection) {
    self.connection = connection
    connection.append("as it is ")
    connection.begin(Brackets())
    guard !greeting.isEmpty else { return }
    connection.limitOutput(to: 16_384)
    connection.append(greeting)
    connection.closeAfterFlush()
  }

  override func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int {
    if isPausing {
      connection.pauseReading()
      journal.note("paused")
      return 0
    }
    journal.note(String(decoding: bytes, as: UTF8.self))
    connection.append(bytes)
    return bytes.count
  }

  override func connectionClosed(_ connection: Connection, _ error: TransportError?) {
    super.connectionClosed(connection, error)
    self.connection = nil
  }

  func goOn() {
    isPausing = false
    connection?.resumeReading()
  }
}

@Suite("Codec")
struct CodecTests {
  @Test("the handler reads what frames contain, and what it writes leaves in frames")
  func bothDirections() throws {
    let host = try Host { FramedEcho() }
    let peer = try Peer(host.address)
    for byte in "[one][two]".utf8 { peer.send([byte]) }
    #expect(peer.readText(19) == "as it is [one][two]")
    peer.send(".")
    #expect(peer.readToEnd() == Array(".".utf8))
    #expect(host.journal.has("closed"))
    #expect(host.journal.entries.suffix(2) == ["ended", "closed"])
  }

  @Test("the last frame comes after all output, also for a slow reader")
  func lastFrame() throws {
    let line = String(repeating: "0123456789", count: 10)
    let host = try Host { FramedEcho(greeting: String(repeating: line + "\n", count: 20_000)) }
    let peer = try Peer(host.address)
    #expect(host.turn {})
    let expected = "as it is " + String(repeating: "[\(line)]", count: 20_000) + "."
    let isWhole = peer.readToEnd() == Array(expected.utf8)
    #expect(isWhole)
    #expect(host.journal.has("closed"))
  }

  @Test("a handler answers what came before the peer's last frame, also if it pauses first")
  func answersBeforeTheEnd() throws {
    let script = FramedEcho(pausing: true)
    let host = try Host { script }
    let peer = try Peer(host.address)
    peer.send("[one][two].")
    #expect(host.journal.has("paused"))
    #expect(host.journal.entries == ["paused"])
    #expect(host.turn { script.goOn() })
    let said = peer.readToEnd().map { String(decoding: $0, as: UTF8.self) }
    #expect(said == "as it is [one][two].")
    #expect(host.journal.has("closed"))
    #expect(host.journal.entries == ["paused", "one\ntwo\n", "ended", "closed"])
  }

  @Test("the peer of a handler that pauses for long sees the end before the handler has its input")
  func inputAfterTheEnd() throws {
    let script = FramedEcho(pausing: true)
    let host = try Host { script }
    let peer = try Peer(host.address)
    peer.send("[one][two].")
    #expect(peer.readToEnd().map { String(decoding: $0, as: UTF8.self) } == "as it is .")
    #expect(host.journal.entries == ["paused"])
    #expect(host.turn { script.goOn() })
    #expect(host.journal.has("closed"))
    #expect(host.journal.entries == ["paused", "one\ntwo\n", "ended", "closed"])
  }

  @Test("a peer that ends without a last frame ends the connection")
  func endWithoutLastFrame() throws {
    let host = try Host { FramedEcho() }
    let peer = try Peer(host.address)
    peer.send("[one][tw")
    #expect(peer.readText(14) == "as it is [one]")
    peer.endOutput()
    #expect(host.journal.has("closed"))
    #expect(host.journal.entries == ["one\n", "ended", "closed"])
  }
}
