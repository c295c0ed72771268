import Foundation
import Glibc
import Testing

@testable import FlowServerMain

@Suite("systemd")
struct ServiceManagerTests {
  /// A socket as systemd has it, at a path or, with a leading `@`, at a name.
  private final class Receiver {
    let name: String
    private let descriptor: Int32

    init(abstract: Bool) throws {
      let word = "flow-notify-\(UUID().uuidString.prefix(8))"
      name = abstract ? "@\(word)" : NSTemporaryDirectory() + word
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = abstract ? [0] + Array(word.utf8) : Array(name.utf8)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let size = socklen_t(2 + bytes.count)
      let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) == 0 }
      }
      try #require(isBound)
    }

    deinit {
      Glibc.close(descriptor)
      if !name.hasPrefix("@") { unlink(name) }
    }

    func next() -> String {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 ? "(none)" : String(decoding: buffer[..<count], as: UTF8.self)
    }
  }

  @Test(
    "is told how things are, at a path or in the abstract name space",
    arguments: [false, true]
  )
  func told(_ abstract: Bool) throws {
    let receiver = try Receiver(abstract: abstract)
    let manager = try #require(try ServiceManager(["NOTIFY_SOCKET": receiver.name]))
    manager.ready()
    #expect(receiver.next() == "READY=1")
    manager.alive()
    #expect(receiver.next() == "WATCHDOG=1")
    manager.reloading()
    #expect(receiver.next().hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    manager.stopping()
    #expect(receiver.next() == "STOPPING=1")
    #expect(manager.patience == nil)
  }

  @Test("without one nobody is told, and one that is not there is an error")
  func none() throws {
    #expect(try ServiceManager([:]) == nil)
    #expect(throws: (any Error).self) { try ServiceManager(["NOTIFY_SOCKET": "/nonexistent/x"]) }
  }

  @Test("its watchdog is kept awake if it is meant for this process")
  func watchdog() throws {
    let receiver = try Receiver(abstract: true)
    func patience(_ variables: [String: String]) throws -> UInt64? {
      let environment = variables.merging(["NOTIFY_SOCKET": receiver.name]) { $1 }
      return try ServiceManager(environment, process: 42)?.patience
    }
    #expect(try patience(["WATCHDOG_USEC": "30000000"]) == 30_000_000_000)
    #expect(try patience(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"]) == 30_000_000_000)
    #expect(try patience(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"]) == nil)
    for text in ["0", "x", "", "18446744073709551615"] {
      #expect(try patience(["WATCHDOG_USEC": text]) == nil)
    }
  }
}
