import FlowTestSupport
import Glibc
import Synchronization
import Testing

@testable import FlowTransport

/// A machine whose kernel has no memory for two of three calls.
private final class ShortMachine: SystemPlatform, @unchecked Sendable {
  private let calls = Atomic(0)

  override func read(_ descriptor: Int32, into place: UnsafeMutableRawPointer, _ most: Int) -> Int {
    shortage ?? super.read(descriptor, into: place, most)
  }

  override func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    shortage ?? super.send(descriptor, bytes, count)
  }

  private var shortage: Int? {
    switch calls.add(1, ordering: .relaxed).newValue % 3 {
    case 0: nil
    case 1: -Int(ENOBUFS)
    default: -Int(ENOMEM)
    }
  }
}

@Suite("Shortage of the kernel's memory")
struct ShortageTests {
  @Test("nothing is lost by it")
  func echo() throws {
    let host = try Host(platform: ShortMachine()) { Echo() }
    let peer = try Peer(host.address)
    for size in [1, 5000, 200_000] {
      let text = String(repeating: "x", count: size) + "\n"
      peer.send(text)
      let isWhole = peer.readText(size + 1) == text
      #expect(isWhole)
    }
    peer.endOutput()
    #expect(peer.readToEnd() == [])
    #expect(host.journal.has("closed"))
  }

  @Test("it ends no large send", arguments: [1, 4])
  func large(threads: Int) throws {
    final class Speaker: Script, @unchecked Sendable {
      static let speech = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }

      override func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int {
        Self.speech.withUnsafeBytes { connection.send($0) }
        connection.closeAfterFlush()
        return bytes.count
      }
    }
    let platform = ShortMachine()
    let host = try Host(platform: platform, prepare: { $0.threads = threads }) {
      Speaker()
    }
    let peers = try (0..<3).map { _ in try Peer(host.address) }
    for peer in peers { peer.send("go\n") }
    for peer in peers {
      let isWhole = peer.readToEnd() == Speaker.speech
      #expect(isWhole)
    }
  }
}
