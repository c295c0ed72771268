import Foundation
import Glibc
import Testing

@testable import FlowTransport

@Suite("Listener")
struct ListenerTests {
  private static func path() -> String {
    NSTemporaryDirectory() + "flow-\(UUID().uuidString.prefix(8))"
  }

  @Test("serves IPv6 on a socket of its own")
  func ip6() throws {
    let host: Host
    do {
      host = try Host(on: "[::1]:0") { Echo() }
    } catch let error as TransportError where error.errno == EADDRNOTAVAIL {
      return  // this machine has no IPv6
    }
    #expect(host.address.description.hasPrefix("[::1]:"))
    let peer = try Peer(host.address)
    peer.send("six")
    #expect(peer.readText(3) == "six")
  }

  @Test("serves a Unix socket and removes its file")
  func unix() throws {
    let path = Self.path()
    let host = try Host(on: "unix:\(path)") { Echo() }
    #expect(host.address.description == "unix:\(path)")
    let peer = try Peer(host.address)
    peer.send("hello")
    peer.endOutput()
    #expect(peer.readToEnd() == Array("hello".utf8))
    host.close()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("does not take a Unix socket that answers, nor a file of another kind")
  func occupied() throws {
    let path = Self.path()
    let first = try Host(on: "unix:\(path)") { Echo() }
    let error = TransportError(
      call: "bind unix:\(path)",
      errno: EADDRINUSE,
      message: "address already in use"
    )
    #expect(throws: error) { try Host(on: "unix:\(path)") { Echo() } }
    #expect(try Peer(first.address).send("still here"))

    let file = Self.path()
    defer { try? FileManager.default.removeItem(atPath: file) }
    try "precious".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(throws: TransportError.self) { try Host(on: "unix:\(file)") { Echo() } }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
  }

  @Test("takes over a Unix socket that nobody answers on")
  func stale() throws {
    let path = Self.path()
    let left = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let address = try SocketAddress(parsing: "unix:\(path)")
    #expect(address.withKernelForm { bind(left, $0, $1) } == 0)
    close(left)
    let host = try Host(on: "unix:\(path)") { Echo() }
    let peer = try Peer(host.address)
    peer.send("hello")
    #expect(peer.readText(5) == "hello")
  }

  @Test("leaves a file alone that replaced its own")
  func replaced() throws {
    let path = Self.path()
    let host = try Host(on: "unix:\(path)") { Echo() }
    try FileManager.default.removeItem(atPath: path)
    try "another".write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    host.close()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "another")
  }

  @Test("says which port is taken, and who cannot be reached")
  func refusals() throws {
    let host = try Host { Echo() }
    let taken = host.address
    #expect(
      throws: TransportError(
        call: "bind \(taken)",
        errno: EADDRINUSE,
        message: "address already in use"
      )
    ) { try Host(on: taken.description) { Echo() } }
    host.close()
    #expect(
      throws: TransportError(
        call: "connect \(taken)",
        errno: ECONNREFUSED,
        message: "connection refused"
      )
    ) { try SystemPlatform.shared.connect(to: taken, within: 5_000_000_000) }
    #expect(throws: TransportError.self) { try Host(on: "example.com:0") { Echo() } }
  }

  /// The descriptor of this process that listens on `address`.
  private static func listening(on address: SocketAddress) -> Int32? {
    (3..<Int32(getdtablesize())).first { descriptor in
      var isListening: Int32 = 0
      var size = socklen_t(MemoryLayout<Int32>.size)
      return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0
        && isListening == 1 && Socket.localAddress(descriptor) == address
    }
  }

  @Test(
    "stops taking connections and keeps those it has"
  )
  func closing() throws {
    let host = try Host { Echo() }
    let peer = try Peer(host.address)
    peer.send("one")
    #expect(peer.readText(3) == "one")
    // As a child has it while it is being made.
    let copy = try #require(Self.listening(on: host.address).map { dup($0) })
    defer { Glibc.close(copy) }
    host.close()
    #expect(throws: TransportError.self) {
      try SystemPlatform.shared.connect(to: host.address, within: 5_000_000_000)
    }
    peer.send("two")
    #expect(peer.readText(3) == "two")
  }

  @Test("a loop connects to another")
  func connecting() throws {
    let host = try Host { Echo() }
    let caller = Caller()
    let loop = EventLoop(label: "client", platform: SystemPlatform.shared)
    try loop.connect(to: host.address) { connection in
      connection.handler = caller
      connection.append("question\n")
    }
    #expect(caller.journal.has("question\n"))
    #expect(caller.journal.has("closed"))
    withExtendedLifetime(loop) {}
  }
}

/// Notes the answer and closes.
private final class Caller: Script, @unchecked Sendable {
  override func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int {
    journal.note(String(decoding: bytes, as: UTF8.self))
    connection.close()
    return bytes.count
  }
}
