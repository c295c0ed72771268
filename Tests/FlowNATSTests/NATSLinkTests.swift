import FlowNATS
import Testing

@Suite("NATSLink")
struct NATSLinkTests {
  @Test("waits for INFO, logs in, and is up when the login was good")
  func login() {
    let play = LinkPlay(login: .token("t"))
    play.link.start()
    #expect(play.takeEvents() == ["dial a:1 at 0 ms"])
    play.connect()
    #expect(play.wire?.takeWritten() == "")
    play.wire?.say(LinkPlay.info)
    let login = play.wire?.takeWritten() ?? ""
    #expect(login.hasPrefix("CONNECT {") && login.hasSuffix(#""auth_token":"t"}⏎PING⏎"#))
    #expect(play.takeEvents().isEmpty)
    play.wire?.say("PONG⏎")
    #expect(play.takeEvents() == ["up"])
    #expect(play.wire?.takeWritten() == "SUB _INBOX.e.> 1⏎SUB flow.e.> 2⏎")
    #expect(play.link.isUp)
    #expect(play.link.info?.version == "2.15.1")
  }

  @Test("shows each 2 s that it is there, and answers the server's PING")
  func ping() {
    let play = LinkPlay()
    play.comeUp()
    for _ in 0..<3 {
      play.advance(milliseconds: 2000)
      #expect(play.wire?.takeWritten() == "PING⏎")
      play.wire?.say("PONG⏎")
    }
    play.wire?.say("PING⏎")
    #expect(play.wire?.takeWritten() == "PONG⏎")
    #expect(play.takeEvents().isEmpty)
  }

  @Test("takes the next server after 5 s of silence")
  func silence() {
    let play = LinkPlay()
    play.comeUp()
    play.advance(milliseconds: 4999)
    #expect(play.takeEvents().isEmpty)
    play.advance(milliseconds: 51)
    #expect(play.wire?.isClosed == true)
    #expect(
      play.takeEvents() == ["away: nothing was heard of NATS for 5 s", "dial b:2 at 5050 ms"]
    )
    // Not even the greeting of the next one comes.
    play.connect()
    play.advance(milliseconds: 5200)
    #expect(play.takeEvents() == ["dial a:1 at 10150 ms"])
  }

  @Test("dials again after 50 ms, and twice as long each time up to 2 s")
  func backoff() {
    let play = LinkPlay()
    play.link.start()
    for _ in 0..<8 {
      play.refuse("connection refused")
      play.advance(milliseconds: 2000)
    }
    let times = play.takeEvents().filter { $0.hasPrefix("dial") }
    #expect(
      times == [
        "dial a:1 at 0 ms", "dial b:2 at 50 ms", "dial a:1 at 2100 ms", "dial b:2 at 4200 ms",
        "dial a:1 at 6400 ms", "dial b:2 at 8800 ms", "dial a:1 at 11600 ms",
        "dial b:2 at 14000 ms", "dial a:1 at 16000 ms",
      ]
    )
    // Once up, the waits are short again.
    play.connect()
    play.wire?.say(LinkPlay.info + "PONG⏎")
    play.wire?.end("reset")
    play.advance(milliseconds: 50)
    #expect(
      play.takeEvents() == ["up", "away: reset", "dial b:2 at 16050 ms"]
    )
  }

  @Test("learns further servers from INFO, whenever it comes")
  func otherServers() {
    let play = LinkPlay(["a:1"])
    play.comeUp()
    play.wire?.say(#"INFO {"version":"2.15.1","headers":true,"connect_urls":["a:1","c:3"]}⏎"#)
    play.wire?.end("reset")
    play.advance(milliseconds: 50)
    #expect(play.takeEvents().last == "dial a:1 at 50 ms")
    play.refuse("x")
    play.advance(milliseconds: 100)
    #expect(play.takeEvents().last == "dial c:3 at 150 ms")
  }

  @Test(
    "does not use a NATS that is too old, wants TLS or refuses the login, and says why once",
    arguments: [
      (#"INFO {"version":"2.9.10","headers":true}⏎"#, "2.14.0 or later is needed"),
      (#"INFO {"version":"2.15.1","headers":true,"tls_required":true}⏎"#, "leaf node"),
      (LinkPlay.info + "-ERR 'Authorization Violation'⏎", "Authorization Violation"),
      ("HTTP/1.1 400 Bad Request⏎", "expected a line of NATS"),
    ]
  )
  func unsuitable(_ said: String, _ reason: String) {
    let play = LinkPlay(["a:1"])
    play.link.start()
    for _ in 0..<3 {
      play.connect()
      play.wire?.say(said)
      #expect(play.wire?.isClosed == true)
      #expect(play.link.reason?.message.contains(reason) == true)
      play.advance(milliseconds: 2000)
    }
    let told = play.takeEvents().filter { !$0.hasPrefix("dial") }
    #expect(told.count == 1)
    #expect(told.first?.contains(reason) == true)
  }

  @Test("gives each request its answer, in whatever order they come, cut anywhere")
  func requests() {
    let play = LinkPlay()
    play.comeUp()
    var heard: [String] = []
    func ask(_ name: String) {
      play.link.request(JetStreamRequest("api.\(name)", name)) { reply in
        let text = String(decoding: reply.payload, as: UTF8.self)
        heard.append("\(name)=\(text)\(reply.status.map { " \($0.code)" } ?? "")")
      }
    }
    ask("x")
    ask("y")
    ask("z")
    #expect(
      play.wire?.takeWritten()
        == "PUB api.x _INBOX.e.1 1⏎x⏎PUB api.y _INBOX.e.2 1⏎y⏎PUB api.z _INBOX.e.3 1⏎z⏎"
    )
    let said =
      "MSG _INBOX.e.2 1 2⏎bb⏎HMSG _INBOX.e.1 1 16 16⏎NATS/1.0 503⏎⏎⏎MSG _INBOX.e.2 1 2⏎cc⏎"
    for character in said { play.wire?.say(String(character)) }
    #expect(heard == ["y=bb", "x= 503"])
    // Of the last one nothing is heard.
    play.advance(milliseconds: 2000)
    play.wire?.say("PONG⏎")
    play.advance(milliseconds: 3000)
    #expect(heard == ["y=bb", "x= 503", "z="])
  }

  @Test("a request without a connection, or whose connection is lost, has no answer")
  func missing() {
    let play = LinkPlay()
    var heard: [String] = []
    func ask(_ name: String) {
      play.link.request(JetStreamRequest("api")) { heard.append("\(name) \($0.isMissing)") }
    }
    ask("early")
    #expect(heard.isEmpty)
    play.advance(milliseconds: 1)
    play.comeUp()
    ask("first")
    ask("second")
    play.wire?.end("reset")
    #expect(heard == ["early true", "first true", "second true"])
    #expect(play.takeEvents() == ["away: reset"])
  }

  @Test("gives consumers their values and what becomes of their pulls")
  func consumers() {
    let play = LinkPlay()
    play.comeUp()
    let consumer = RecordingConsumer()
    play.link.attach(consumer, 7)
    #expect(play.link.consumerName(7) == "s-e-7")
    play.link.pull(JetStreamRequest("next", "2"), 7)
    #expect(play.wire?.takeWritten() == "PUB next _INBOX.e.c7 1⏎2⏎")
    play.wire?.say("MSG flow.v.a 1 $JS.ACK.flow_a.s-e-7.1.12.1.0.2 1⏎x⏎")
    play.wire?.say(
      "HMSG flow.v.a 1 $JS.ACK.flow_a.s-e-7.1.13.1.0.2 50 51⏎NATS/1.0⏎Nats-Msg-Id: f.1⏎"
        + "Nats-Batch-Id: f.1⏎⏎y⏎"
    )
    play.wire?.say(
      "HMSG flow.e.a 1 $JS.ACK.flow_a.s-e-7.1.14.1.0.2 28 28⏎NATS/1.0⏎Flow-End: done⏎⏎⏎"
    )
    play.wire?.say("HMSG _INBOX.e.c7 1 44 44⏎NATS/1.0 408 x⏎Nats-Pending-Messages: 1⏎⏎⏎")
    // Of others, and what cannot be.
    play.wire?.say("MSG flow.v.a 1 $JS.ACK.flow_a.s-e-6.1.12.1.0.2 1⏎x⏎MSG x 1 0⏎⏎")
    play.wire?.say("MSG _INBOX.e.c8 1 0⏎⏎MSG _INBOX.e.c7 1 0⏎⏎MSG _INBOX.e.99 1 0⏎⏎")
    #expect(consumer.heard == ["12 x", "13 y f.1 f.1", "14  end done", "408 1"])
    play.link.detach(7)
    play.wire?.say("MSG flow.v.a 1 $JS.ACK.flow_a.s-e-7.1.15.1.0.2 1⏎x⏎")
    #expect(consumer.heard.count == 4)
  }

  @Test("tells of what it hears")
  func hears() {
    let play = LinkPlay()
    play.comeUp()
    play.wire?.say("MSG flow.e.a 2 _INBOX.f.1 1⏎x⏎")
    #expect(play.takeEvents() == ["hears flow.e.a"])
  }

  @Test("notes what the server says, and tells it when the connection ends for that")
  func objections() {
    let play = LinkPlay()
    play.comeUp()
    play.wire?.say("-ERR 'Maximum Payload Violation'⏎")
    play.wire?.end("closed")
    #expect(
      play.takeEvents() == [
        "note: NATS says: Maximum Payload Violation",
        "away: NATS says: Maximum Payload Violation",
      ]
    )
  }

  @Test("after its end tells nobody anything, and closes what comes late")
  func stop() {
    let play = LinkPlay()
    play.link.start()
    play.link.stop()
    play.connect()
    #expect(play.wire?.isClosed == true)
    let second = LinkPlay()
    second.comeUp()
    second.link.request(JetStreamRequest("api")) { _ in Issue.record("an answer after the end") }
    second.link.stop()
    #expect(second.wire?.isClosed == true)
    second.advance(milliseconds: 10_000)
    #expect(second.takeEvents().isEmpty)
  }
}

/// Writes down what a consumer hears.
private final class RecordingConsumer: NATSConsumer {
  var heard: [String] = []

  func received(_ value: NATSValue) {
    func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }
    var line = "\(value.sequence) \(text(value.payload))"
    for id in [value.messageID, value.batchID] { if let id { line += " \(text(id))" } }
    heard.append(line + (value.end.map { " end \($0)" } ?? ""))
  }

  func received(_ status: NATSHeaders.Status, pending: Int) {
    heard.append("\(status.code) \(pending)")
  }
}
