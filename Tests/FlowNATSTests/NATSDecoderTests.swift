import FlowNATS
import FlowTestSupport
import Testing

@Suite("NATSDecoder")
struct NATSDecoderTests {
  /// What real servers were seen to say; 2.9 separates with two blanks.
  static let transcripts: [(String, [ReadFrame])] = [
    (
      #"INFO {"version":"2.15.1","headers":true,"max_payload":1048576}⏎PONG⏎"#,
      [.info(#"{"version":"2.15.1","headers":true,"max_payload":1048576}"#), .pong]
    ),
    (
      "HMSG _INBOX.e.3 1 43 43⏎NATS/1.0 503⏎Nats-Subject: nobody.home⏎⏎⏎PING⏎",
      [
        .message(
          subject: "_INBOX.e.3",
          1,
          reply: "",
          headers: "NATS/1.0 503\r\nNats-Subject: nobody.home\r\n\r\n",
          payload: ""
        ), .ping,
      ]
    ),
    (
      "MSG flow.v.orders 1 $JS.ACK.flow_orders.s-e-1.1.7.1.1795330037771239944.2 1⏎7⏎+OK⏎",
      [
        .message(
          subject: "flow.v.orders",
          1,
          reply: "$JS.ACK.flow_orders.s-e-1.1.7.1.1795330037771239944.2",
          headers: "",
          payload: "7"
        ), .ok,
      ]
    ),
    (
      "MSG  _INBOX.e.k  1  0⏎⏎msg a 1 3⏎x⏎⏎PING⏎",
      [
        .message(subject: "_INBOX.e.k", 1, reply: "", headers: "", payload: ""),
        .message(subject: "a", 1, reply: "", headers: "", payload: "x\r\n"),
      ]
    ),
    (
      "HMSG flow.v.orders 1 $JS.ACK.x 31 32⏎NATS/1.0⏎Nats-Msg-Id: e.41⏎⏎8⏎INFO {}⏎",
      [
        .message(
          subject: "flow.v.orders",
          1,
          reply: "$JS.ACK.x",
          headers: "NATS/1.0\r\nNats-Msg-Id: e.41\r\n\r\n",
          payload: "8"
        ), .info("{}"),
      ]
    ),
    ("MSG a 1 1⏎xyPING⏎", [.broken(.malformed)]),
    (
      "-ERR 'Authorization Violation'⏎-ERR⏎",
      [.error("Authorization Violation"), .error("")]
    ),
    ("HTTP/1.1 400 Bad Request⏎PING⏎", [.broken(.malformed)]),
    ("⏎PING⏎", [.broken(.malformed)]),
    ("MSG a 1⏎PING⏎", [.broken(.malformed)]),
    ("MSG a 1 b c 1⏎x⏎", [.broken(.malformed)]),
    ("MSG a 1 b c d e f g 1⏎x⏎", [.broken(.malformed)]),
    ("MSG a x 1⏎x⏎", [.broken(.malformed)]),
    ("MSG a 1 -1⏎x⏎", [.broken(.malformed)]),
    ("HMSG a 1 3 2⏎xx⏎", [.broken(.malformed)]),
    ("MSG a 1 67108865⏎", [.broken(.tooLong)]),
    ("MSG a 18446744073709551615 18446744073709551615⏎", [.broken(.tooLong)]),
    ("MSG a 1 18446744073709551616⏎", [.broken(.malformed)]),
  ]

  @Test("reads what NATS says, at once, byte by byte and split anywhere", arguments: transcripts)
  func transcript(_ text: String, _ frames: [ReadFrame]) {
    let bytes = wire(text)
    let whole = NATSReading.read([bytes])
    #expect(Array(whole.prefix(frames.count)) == frames)
    #expect(NATSReading.read(bytes.map { [$0] }) == whole)
    for place in bytes.indices {
      #expect(NATSReading.read([bytes[..<place], bytes[place...]]) == whole)
    }
  }

  @Test("waits for a message of 64 MiB, and refuses an endless line")
  func limits() {
    #expect(NATSReading.read([wire("MSG a 1 67108864⏎x")]).isEmpty)
    let longest = [UInt8](repeating: 0x78, count: NATSDecoder.longestLine)
    #expect(NATSReading.read([longest]).isEmpty)
    #expect(NATSReading.read([longest, [0x78]]) == [.broken(.tooLong)])
  }

  @Test("reads the same whatever the pieces, of any bytes", arguments: 1...20)
  func noise(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    let words = [
      "MSG ", "HMSG ", "a.b ", "1 ", "12 ", "3", "⏎", "x", "PING⏎", "INFO {", "}", "-ERR 'x'⏎", " ",
      "MSG a 1 2⏎xy⏎", "HMSG a 1 12 13⏎NATS/1.0⏎⏎y⏎", "\r", "\n", "é", "99999999999999999999",
    ]
    for _ in 0..<RandomCases.count(200) {
      let bytes = (0..<Int.random(in: 1...30, using: &generator)).flatMap { _ in
        wire(words.randomElement(using: &generator) ?? "")
      }
      let whole = NATSReading.read([bytes])
      var pieces = NATSReading()
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...min(9, rest.count), using: &generator)
        pieces.receive(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(pieces.frames == whole)
    }
  }
}

@Suite("NATSHeaders")
struct NATSHeadersTests {
  private func read(_ text: String) -> (NATSHeaders, (Range<Int>?) -> String?) {
    let bytes = wire(text)
    let headers = bytes.withUnsafeBytes { NATSHeaders($0, 0..<bytes.count) }
    return (headers, { $0.map { String(decoding: bytes[$0], as: UTF8.self) } })
  }

  @Test("read a status and what it says of a pull")
  func status() {
    let (timeout, _) = read(
      "NATS/1.0 408 Request Timeout⏎Nats-Pending-Messages: 1⏎Nats-Pending-Bytes: 0⏎⏎"
    )
    #expect(timeout.status == .init(408, "Request Timeout"))
    #expect(timeout.pendingMessages == 1)
    #expect(read("NATS/1.0 503⏎⏎").0.status == .init(503, ""))
    #expect(read("NATS/1.0 100 Idle Heartbeat⏎Nats-Last-Stream: 7⏎⏎").0.status?.code == 100)
    #expect(read("NATS/1.0⏎a: b⏎⏎").0.status == nil)
    #expect(read("NATS/1.0 x y⏎⏎").0.status == nil)
    #expect(read("").0 == read("⏎").0)
  }

  @Test("read what a value was published with, in any case and with any blanks")
  func fields() {
    let (headers, text) = read(
      "NATS/1.0⏎nats-msg-id:e.42⏎Nats-Batch-Id:  e.43 ⏎Nats-Batch-Sequence: 2⏎Flow-End: fail x⏎⏎"
    )
    #expect(text(headers.messageID) == "e.42")
    #expect(text(headers.batchID) == "e.43")
    #expect(text(headers.end) == "fail x")
    #expect(read("NATS/1.0⏎:⏎no colon⏎Nats-Pending-Messages: many⏎⏎").0.pendingMessages == nil)
  }
}
