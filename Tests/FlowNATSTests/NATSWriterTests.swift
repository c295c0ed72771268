import FlowNATS
import Testing

@Suite("NATSWriter")
struct NATSWriterTests {
  private func written(_ body: (inout NATSWriter) -> Void) -> String {
    var writer = NATSWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
      .split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "⏎")
  }

  @Test("logs in, and asks whether that was good")
  func connect() {
    let start =
      #"CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true,"echo":true,"#
      + #""protocol":1,"lang":"flow","name":"a""#
    #expect(written { $0.connect(.none, name: "a") } == start + "}⏎PING⏎")
    #expect(
      written { $0.connect(.user("u\"", password: "p\\\n"), name: "a") }
        == start + #","user":"u\"","pass":"p\\\u000a"}⏎PING⏎"#
    )
    #expect(written { $0.connect(.token("t"), name: "a") } == start + #","auth_token":"t"}⏎PING⏎"#)
  }

  @Test("publishes values, by themselves and in batches")
  func publish() {
    #expect(
      written { $0.publish("nobody.home", reply: "_INBOX.e.3", [0x78]) }
        == "PUB nobody.home _INBOX.e.3 1⏎x⏎"
    )
    #expect(written { $0.publish("a") } == "PUB a 0⏎⏎")
    #expect(
      written {
        $0.publish(
          "flow.v.orders",
          reply: "_INBOX.e.9",
          headers: PublishHeaders.id("e.41"),
          [0x37]
        )
      } == "HPUB flow.v.orders _INBOX.e.9 31 32⏎NATS/1.0⏎Nats-Msg-Id: e.41⏎⏎7⏎"
    )
    #expect(
      written {
        let headers = PublishHeaders.batch("e.42", place: 2, isLast: true)
        $0.publish("flow.v.orders", headers: headers, [])
      }
        == "HPUB flow.v.orders 79 79⏎NATS/1.0⏎Nats-Batch-Id: e.42⏎Nats-Batch-Sequence: 2"
        + "⏎Nats-Batch-Commit: 1⏎⏎⏎"
    )
  }

  @Test("subscribes and shows that it is there")
  func others() {
    #expect(written { $0.subscribe("_INBOX.e.>", number: 1) } == "SUB _INBOX.e.> 1⏎")
    #expect(
      written {
        $0.ping(); $0.pong()
      } == "PING⏎PONG⏎"
    )
  }
}
