import FlowTestSupport
import Dispatch
import Testing

@testable import FlowTransport

@Suite("EventLoop")
struct EventLoopTests {
  @Test("starts a turn when a deadline passes")
  func deadline() throws {
    let journal = Journal()
    let due = Guarded<UInt64?>(nil)
    let host = try Host(
      prepare: { loop in
        loop.turnWillStart = {
          let isDue = due.withLock { due in
            guard let time = due, time <= SystemPlatform.shared.monotonicNanoseconds else {
              return false
            }
            due = nil
            return true
          }
          if isDue { journal.note("due") }
        }
        loop.nextDeadline = { due.withLock { $0 } }
      },
      handler: { Echo() }
    )
    for round in 1...3 {
      // Posted work that changes the deadline arms the timer.
      #expect(
        host.turn { due.withLock { $0 = SystemPlatform.shared.monotonicNanoseconds + 5_000_000 } }
      )
      #expect(journal.has("due", round))
    }
  }

  @Test("lets posted work in while traffic flows")
  func posting() throws {
    let host = try Host { Echo() }
    let peer = try Peer(host.address)
    let descriptor = peer.descriptor
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      Peer.keepAnswering(descriptor)
      done.signal()
    }
    // Each would have to wait for as long as the traffic lasts.
    for _ in 0..<500 { #expect(host.turn {}) }
    let late = try Peer(host.address)
    late.send("late")
    #expect(late.readText(4) == "late")
    peer.endOutput()
    #expect(done.wait(timeout: Patience.deadline) == .success, "waited for the end of the traffic")
  }

  @Test(
    "a turn ends after all that was resumed went on"
  )
  func turns() throws {
    let script = Parking()
    let host = try Host(
      prepare: { loop in
        loop.turnWillStart = { script.journal.note("start") }
        loop.turnWillEnd = { script.goOn() }
      },
      handler: { script }
    )
    let peer = try Peer(host.address)
    peer.send("abc")
    #expect(host.journal.has("used c"))
    let entries = host.journal.entries
    let first = try #require(entries.firstIndex(of: "used a"))
    #expect(entries[first...].prefix(3) == ["used a", "used b", "used c"])
    peer.close()
    #expect(host.journal.has("closed"))
    #expect(host.turn {})
  }
}

/// Uses a byte at a time and pauses after each, until the end of the turn.
private final class Parking: Script, @unchecked Sendable {
  private var parked: Connection?

  override func received(_ connection: Connection, _ bytes: UnsafeRawBufferPointer) -> Int {
    journal.note("used " + String(decoding: bytes.prefix(1), as: UTF8.self))
    parked = connection
    connection.pauseReading()
    return 1
  }

  func goOn() {
    let connection = parked
    parked = nil
    connection?.resumeReading()
  }
}
