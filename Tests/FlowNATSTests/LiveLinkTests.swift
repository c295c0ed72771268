import Dispatch
import FlowNATS
import FlowTestSupport
import FlowTransport
import Synchronization
import Testing

/// The link on an event loop, with a real nats-server.
@Suite("NATSLink, with a nats-server")
struct LiveLinkTests {
  private func server(_ options: String...) throws -> NATSServer {
    guard NATSServer.program != nil else { try Test.cancel("\(NATSServer.missing)") }
    return try options.isEmpty ? NATSServer() : NATSServer(options[0], options[1])
  }

  @Test("logs in, has a stream made, and says the same of it again")
  func request() throws {
    let server = try server("--auth", "secret")
    let live = LiveLink(server.address, login: .token("secret"))
    defer { live.close() }
    #expect(live.next() == "up")
    let names = JetStream()
    let settings = StreamSettings(
      replicas: 1,
      storage: .memory,
      mostMessages: 10,
      refusesWhenFull: true
    )
    for _ in 0..<2 {
      live.request(names.create("orders", settings))
      #expect(live.next() == "stream 0 \(settings.mostMessages)")
    }
    var other = settings
    other.mostMessages = 11
    live.request(names.create("orders", other))
    #expect(live.next()?.contains("nameInUse") == true)
  }

  @Test("is refused a wrong login, and says so")
  func wrongLogin() throws {
    let server = try server("--auth", "secret")
    let live = LiveLink(server.address, login: .token("x"))
    defer { live.close() }
    #expect(live.next() == "away NATS refuses the login: Authorization Violation")
  }

  @Test("comes back when NATS was killed")
  func killed() throws {
    let server = try server()
    let live = LiveLink(server.address)
    defer { live.close() }
    #expect(live.next() == "up")
    server.kill()
    #expect(live.next()?.hasPrefix("away") == true)
    try server.start()
    var last = live.next()
    while last?.hasPrefix("away") == true { last = live.next() }
    #expect(last == "up")
  }
}

/// A link on a loop of its own, in real time.
///
/// Unchecked: used on the loop's queue only, but for the events, which are locked.
private final class LiveLink: NATSLinkOwner, @unchecked Sendable {
  private let loop = EventLoop(label: "test", platform: SystemPlatform.shared)
  private var link: NATSLink?
  private let events = Mutex<[String]>([])
  private let happened = DispatchSemaphore(value: 0)

  init(_ address: String, login: NATSLogin = .none) {
    loop.post { [self] in
      let link = NATSLink(
        hosts: [address],
        login: login,
        name: "test",
        epoch: "e",
        hears: "flow.e.>",
        dialer: NATSSockets(loop),
        owner: self
      )
      self.link = link
      link.start()
    }
  }

  /// Ends the link, which does not outlive its owner.
  func close() {
    loop.queue.sync {
      link?.stop()
      link = nil
    }
  }

  var now: Int64 { Int64(loop.now) }

  func after(_ nanoseconds: Int64, _ work: @escaping () -> Void) {
    let carried = Carried(work)
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [loop] in
      loop.post { carried.work() }
    }
  }

  func linkIsUp() { note("up") }

  func linkIsAway(_ reason: NATSError) { note("away \(reason)") }

  func linkHears(_ subject: String) {}

  func linkNotes(_ text: String) {}

  private func note(_ event: String) {
    events.withLock { $0.append(event) }
    happened.signal()
  }

  /// What happens next, unless nothing does.
  func next() -> String? {
    guard happened.wait(timeout: Patience.deadline) == .success else { return nil }
    return events.withLock { $0.removeFirst() }
  }

  func request(_ request: JetStreamRequest) {
    loop.post { [self] in
      link?.request(request) { [self] reply in
        do throws(JetStreamError) {
          let stream = try StreamAnswer(reply)
          note("stream \(stream.last) \(stream.settings.mostMessages)")
        } catch {
          note(error.number.map { "\($0)" } ?? error.text)
        }
      }
    }
  }
}

/// Made and called on the loop's queue, and only carried elsewhere.
private final class Carried: @unchecked Sendable {
  let work: () -> Void

  init(_ work: @escaping () -> Void) { self.work = work }
}
