import Dispatch
import FlowTestSupport
import Foundation
import Synchronization
import Testing

@Suite("FlowServer at SIGTERM")
struct DrainTests {
  /// The values that a reader has received from each sender, in order.
  private final class Received: Sendable {
    private let values = Mutex<[Int: [Int]]>([:])
    private let words = Mutex<[String]>([])

    func add(_ line: String) {
      guard line.hasPrefix("= "), let value = Int(line.split(separator: " ")[2].prefix(9)) else {
        words.withLock { $0.append(line) }
        return
      }
      values.withLock { $0[value / 1_000_000 % 10, default: []].append(value % 1_000_000) }
    }

    func values(of sender: Int) -> [Int] { values.withLock { $0[sender] ?? [] } }

    var count: Int { values.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    var last: String { words.withLock { $0.last ?? "" } }
  }

  private static let senders = 3

  /// Sends values of 1,000 bytes that begin with the sender and the count.
  ///
  /// Sends a value when the server has confirmed that all `readers` got the one before.
  private static func send(
    as sender: Int,
    to port: UInt16,
    readers: Int,
    acknowledged: () -> Void
  ) throws {
    let client = try TestClient(port: port)
    _ = try client.line()
    let padding = String(repeating: "x", count: 990)
    var count = 0
    while true {
      try client.say("SEND jobs \(100_000_000 + sender * 1_000_000 + count)\(padding)")
      var answer = try client.line()
      while answer.hasPrefix("DRAIN") { answer = try client.line() }
      guard answer == "OK send jobs to=\(readers) missed=0" else { return }
      acknowledged()
      count += 1
    }
  }

  /// Reads about a megabyte a second, and sends PING after each value if `chats`.
  private static func read(
    _ client: TestClient,
    chats: Bool,
    into received: Received
  ) {
    do {
      while true {
        let line = try client.line()
        received.add(line)
        if line.hasPrefix("= "), chats { try? client.say("PING 1") }
        if received.count % 16 == 0 { usleep(16_000) }
      }
    } catch {}
  }

  @Test("delivers all acknowledged values to slow readers, also if they send commands")
  func underLoad() throws {
    let file = try TestFolder.file(
      "SUBJECT jobs flow=slowest\nPIPELINE all = jobs.map { $0 }\nset linger 1s\n"
    )
    let server = try RunningProgram(
      "FlowServer",
      ["--http", "off", "--listen", "127.0.0.1:0", "-c", file]
    )
    let lines = server.waitForRemarks(lines: 2).joined(separator: " ")
    let place = try #require(lines.split(separator: "address=127.0.0.1:").last)
    let port = try #require(UInt16(place.prefix { $0.isNumber }))
    let readers = [("max", false), ("max", true), ("500000", false), ("500000", true)]
    let received = readers.map { _ in Received() }
    let crowd = DispatchGroup()
    for ((demand, chats), received) in zip(readers, received) {
      let hasAsked = DispatchSemaphore(value: 0)
      DispatchQueue(label: "reader").async(group: crowd) {
        guard let client = try? TestClient(port: port) else { return }
        _ = try? client.line()
        _ = try? client.ask("SUB all \(demand)")
        hasAsked.signal()
        Self.read(client, chats: chats, into: received)
      }
      try #require(hasAsked.wait(timeout: Patience.deadline) == .success, "waited for a reader")
    }
    let acknowledged = Mutex<[Int: Int]>([:])
    for sender in 0..<Self.senders {
      DispatchQueue(label: "sender").async(group: crowd) {
        try? Self.send(as: sender, to: port, readers: readers.count) {
          acknowledged.withLock { $0[sender, default: 0] += 1 }
        }
      }
    }
    try Patience.wait(for: "4,000 acknowledged values") {
      acknowledged.withLock { $0.values.reduce(0, +) >= 4000 }
    }
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
    #expect(crowd.wait(timeout: Patience.deadline) == .success, "waited for the end of the crowd")
    for sender in 0..<Self.senders {
      let count = acknowledged.withLock { $0[sender] ?? 0 }
      for (reader, received) in zip(readers, received) {
        let values = received.values(of: sender)
        #expect(values.count >= count, "\(reader): \(received.last)")
        #expect(values == Array(0..<values.count), "\(reader)")
      }
    }
  }
}
