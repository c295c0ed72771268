import FlowNATS

/// A link with a NATS that the test plays, in virtual time.
final class LinkPlay: NATSLinkOwner, NATSDialer {
  private(set) var now: Int64 = 0
  private var due: [(time: Int64, work: () -> Void)] = []
  /// What happened, in order.
  private(set) var events: [String] = []
  private var answers: [(Result<any NATSWire, NATSError>) -> Void] = []
  private(set) var wire: PlayedWire?
  private(set) lazy var link = NATSLink(
    hosts: hosts,
    login: login,
    name: "test",
    epoch: "e",
    hears: "flow.e.>",
    dialer: self,
    owner: self
  )
  private let hosts: [String]
  private let login: NATSLogin

  init(_ hosts: [String] = ["a:1", "b:2"], login: NATSLogin = .none) {
    self.hosts = hosts
    self.login = login
  }

  static let info = #"INFO {"version":"2.15.1","headers":true}⏎"#

  func after(_ nanoseconds: Int64, _ work: @escaping () -> Void) {
    due.append((now + nanoseconds, work))
  }

  func linkIsUp() { events.append("up") }

  func linkIsAway(_ reason: NATSError) { events.append("away: \(reason)") }

  func linkHears(_ subject: String) { events.append("hears \(subject)") }

  func linkNotes(_ text: String) { events.append("note: \(text)") }

  func dial(_ address: String, opened: @escaping (Result<any NATSWire, NATSError>) -> Void) {
    events.append("dial \(address) at \(now / 1_000_000) ms")
    answers.append(opened)
  }

  /// What has happened since the last call.
  func takeEvents() -> [String] {
    defer { events = [] }
    return events
  }

  func connect() {
    let wire = PlayedWire()
    self.wire = wire
    answers.removeFirst()(.success(wire))
  }

  func refuse(_ text: String) { answers.removeFirst()(.failure(NATSError(.lost, text))) }

  /// Connects and logs in.
  func comeUp() {
    link.start()
    connect()
    wire?.say(Self.info)
    wire?.say("PONG⏎")
    _ = takeEvents()
    _ = wire?.takeWritten()
  }

  func advance(milliseconds: Int64) {
    let end = now + milliseconds * 1_000_000
    while let next = due.indices.min(by: { due[$0].time < due[$1].time }), due[next].time <= end {
      let (time, work) = due.remove(at: next)
      now = max(now, time)
      work()
    }
    now = end
  }
}

/// A connection whose other side is the test.
final class PlayedWire: NATSWire {
  weak var receiver: (any NATSReceiver)?
  private var written: [UInt8] = []
  private var unread: [UInt8] = []
  private(set) var isClosed = false

  func send(_ bytes: [UInt8]) { written += bytes }

  func close() {
    isClosed = true
    receiver = nil
  }

  /// What was written since the last call, with `⏎` for line ends.
  func takeWritten() -> String {
    defer { written = [] }
    return String(decoding: written, as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "⏎")
  }

  func say(_ text: String) {
    unread += wire(text)
    let used = unread.withUnsafeBytes { receiver?.received($0) ?? $0.count }
    unread.removeFirst(used)
  }

  func end(_ reason: String) { receiver?.wireClosed(reason) }
}
