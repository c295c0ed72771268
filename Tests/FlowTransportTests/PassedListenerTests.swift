import FlowTestSupport
import Foundation
import Glibc
import Testing

@testable import FlowTransport

@Suite("Listening sockets that are passed")
struct PassedListenerTests {
  @Test("one is served, and listens on when it is closed here")
  func served() throws {
    let passed = try ListeningDescriptor()
    for round in 1...2 {
      let listener = try SystemPlatform.listener(passed: dup(passed.descriptor))
      let host = try Host(with: .passed(listener)) { Echo() }
      #expect(host.address.description == "127.0.0.1:\(passed.port)")
      let peer = try Peer(host.address)
      peer.send("round\(round)")
      #expect(peer.readText(6) == "round\(round)")
      host.close()
    }
    let waiting = try TestClient(port: passed.port)
    let listener = try SystemPlatform.listener(passed: dup(passed.descriptor))
    let host = try Host(with: .passed(listener)) { Echo() }
    try waiting.say("I have waited")
    #expect(try waiting.line() == "I have waited")
    host.close()
  }

  @Test("a Unix socket tells its path, and its file stays")
  func unix() throws {
    let path = NSTemporaryDirectory() + "flow-\(UUID().uuidString.prefix(8))"
    let address = try SocketAddress(parsing: "unix:\(path)")
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #expect(address.withKernelForm { bind(descriptor, $0, $1) } == 0)
    #expect(listen(descriptor, 8) == 0)
    let host = try Host(with: .passed(SystemPlatform.listener(passed: descriptor))) { Echo() }
    #expect(host.address.description == "unix:\(path)")
    let peer = try Peer(host.address)
    peer.send("hello")
    #expect(peer.readText(5) == "hello")
    host.close()
    #expect(FileManager.default.fileExists(atPath: path))
    unlink(path)
  }

  @Test("what is no listening socket is refused, and stays open")
  func refusals() throws {
    func message(_ descriptor: Int32) -> String {
      do {
        _ = try SystemPlatform.listener(passed: descriptor)
        return "(taken)"
      } catch {
        return error.description.replacing("fd \(descriptor)", with: "fd N")
      }
    }
    #expect(message(1 << 30) == "fd N: nothing is open there")
    let file = open("/dev/null", O_RDONLY)
    #expect(message(file) == "fd N: it is not a socket")
    let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    #expect(message(datagrams).contains("it is not a stream socket; in a systemd unit"))
    let deaf = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #expect(message(deaf).contains("does not listen; in a systemd unit write Accept=no"))
    for descriptor in [file, datagrams, deaf] { #expect(close(descriptor) == 0) }
  }
}
