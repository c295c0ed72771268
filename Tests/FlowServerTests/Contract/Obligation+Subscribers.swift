import FlowServerSupport
import FlowTestSupport
import Testing

// Section 2: a client that receives, and the server where it receives from publishers.
extension Obligation {
  static let subscribers = [
    Obligation(
      "2.1",
      what:
        "Nothing arrives before it is requested; what a plain subject got in the meantime is counted"
    ) { server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      try client.say("SUB a", "SUB (1...3).publisher", "SEND a 1")
      #expect(
        try client.linesSoFar()
          == ["OK sub 1 a demand=0", "OK sub 2 - demand=0", "OK send a to=0 missed=1"]
      )
      try client.say("REQ 1 1", "SEND a 2")
      #expect(
        try client.linesSoFar() == ["DROP 1 1 no-demand", "= 1 2", "OK send a to=1 missed=0"]
      )
    },
    Obligation("2.2", what: "A slow reader holds up nobody else on a plain subject") { server in
      try server.prepare("SUBJECT a")
      let idle = try server.framed()
      let reader = try server.framed()
      _ = try idle.ask("SUB a max")
      _ = try reader.ask("SUB a max")
      let sender = try server.framed()
      let value = String(repeating: "x", count: 10_000)
      for _ in 0..<20 {
        try sender.say((0..<50).map { _ in "SEND a \(value)" }.joined(separator: "\n"))
        #expect(try reader.lines(50).allSatisfy { $0.utf8.count == 10_004 })
        _ = try sender.lines(50)
      }
    },
    Obligation(
      "2.3",
      what: "A publication that has said `DONE` or `FAIL` is sent neither `REQ` nor `CANCEL`"
    ) { server in
      try server.prepare("SUBJECT a flow=slowest")
      let publisher = try server.framed()
      let client = try server.framed()
      _ = try publisher.ask("PUB a as=1")
      try publisher.say("DONE 1")
      _ = try publisher.ask("PING")
      _ = try client.ask("SUB a 5")
      _ = try client.ask("DELETE a")
      #expect(try publisher.linesSoFar() == [])
    },
    Obligation("2.4", what: "A publication's end is final: what arrives on it later has no effect")
    {
      server in
      try server.prepare("SUBJECT a")
      let publisher = try server.connect()
      let client = try server.framed()
      _ = try client.ask("SUB a 5")
      try publisher.say("PUB a", "= 1 1", "DONE 1", "= 1 2", "FAIL 1 late", "DONE 1")
      #expect(
        try publisher.lines(6) == [
          "OK pub 1 a demand=max", "OK value 1 to=1 missed=0 demand=max",
          "OK done 1 to=1 missed=0 nobody=0",
          "OK value 1 ended", "OK fail 1 ended", "OK done 1 ended",
        ]
      )
      #expect(try client.linesSoFar() == ["= 1 1"])
    },
    Obligation(
      "2.5",
      "2.12",
      what: "A second stream with an id in use is refused, and the first continues"
    ) {
      server in
      try server.prepare("SUBJECT a", "SUBJECT b")
      let client = try server.framed()
      try client.say("SUB a 2 as=1", "PUB b as=1", "TAKE b 1 as=1", "SEND a 1")
      let lines = try client.lines(5)
      #expect(lines[0] == "OK sub 1 a demand=2")
      #expect(lines[1].hasPrefix("ERR id-in-use"))
      #expect(lines[2].hasPrefix("ERR id-in-use"))
      #expect(lines[3] == "= 1 1")
    },
    Obligation(
      "2.6",
      what: "A stream that needs no more has left the subject before its end is reported"
    ) {
      server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      try client.say(
        "TAKE a 1",
        "SUB a.first() 5",
        "SUB a.prefix(1).flatMap { [$0].publisher } 5",
        "SEND a 1"
      )
      _ = try client.linesSoFar()
      #expect(try client.ask("LIST subjects").contains(" subscriptions=0 "))
    },
    Obligation(
      "2.7",
      what: "`REQ` and `CANCEL` take effect in the order sent, however they are split"
    ) { server in
      let client = try server.framed()
      _ = try client.ask("SUB (1...100).publisher")
      for byte in Array("REQ 1 2\nREQ 1 3\nPING a\nCANCEL 1\nREQ 1 9\nPING b\n".utf8) {
        try client.send([byte])
      }
      #expect(
        try client.lines(8) == (1...5).map { "= 1 \($0)" } + [
          "PONG a", "OK cancel 1 values=5 missed=0 undelivered=0", "PONG b",
        ]
      )
    },
    Obligation(
      "2.8",
      what: "Values under way when `CANCEL` is sent may still arrive, before its answer"
    ) { server in
      let client = try server.framed()
      try client.say("SUB (1...1000).publisher max", "CANCEL 1")
      let lines = try client.linesSoFar()
      let values = TestClient.values(1, in: lines)
      #expect(values == (1...1000).prefix(values.count).map(String.init))
      // The time slice decides whether the source ends before the CANCEL.
      let answer =
        lines.contains("DONE 1")
        ? "OK cancel 1 ended" : "OK cancel 1 values=\(values.count) missed=0 undelivered=0"
      #expect(lines.last == answer)
    },
    Obligation("2.9", "2.10", what: "`DONE` and `FAIL` need no demand, and overtake nothing") {
      server in
      try server.prepare("SUBJECT a", "SUBJECT b", "SUBJECT c replay 5")
      let client = try server.framed()
      try client.say(
        "SUB a",
        "SUB b",
        "SEND c 1",
        "SUB c",
        "DONE a",
        "FAIL b broken it broke",
        "DONE c"
      )
      let lines = try client.linesSoFar()
      #expect(lines.contains("DONE 1"))
      #expect(lines.contains("FAIL 2 broken it broke"))
      #expect(!lines.contains("DONE 3"))
      try client.say("REQ 3 5")
      #expect(try client.linesSoFar().last == "DONE 3")
    },
    Obligation("2.11", what: "The effects of one command are visible to the next, whoever sends it")
    {
      server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      let other = try server.framed()
      _ = try client.ask("SUB a")
      for demand in [1, 5, 7] {
        _ = try client.ask("REQ 1 \(demand)", answer: "PING")
      }
      #expect(try other.ask("LIST streams").contains(" demand=13 "))
      _ = try other.line()
    },
    Obligation("2.13", what: "Bad input is an `ERR` of its own; streams and other clients continue")
    {
      server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      _ = try client.ask("SUB a max")
      for line in [
        "REQ 1 many", "REQ", "NONSENSE", "= 9 1", "SUB", "@@ PING", "\u{0}", "CANCEL 77",
      ] {
        #expect(try client.ask(line).contains("ERR "), "\(line)")
        try client.say("SEND a 1")
        #expect(try client.lines(2) == ["= 1 1", "OK send a to=1 missed=0"])
      }
    },
  ]
}
