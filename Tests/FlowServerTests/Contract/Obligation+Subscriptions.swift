import FlowServerSupport
import FlowTestSupport
import Testing

// Section 3: REQ and CANCEL.
extension Obligation {
  static let subscriptions = [
    Obligation("3.1", what: "Only a stream's own connection can request from it or cancel it") {
      server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      let other = try server.framed()
      _ = try client.ask("SUB a 1")
      #expect(try other.ask("CANCEL 1").hasPrefix("ERR unknown-stream"))
      #expect(try other.ask("REQ 1 1").hasPrefix("@! ERR unknown-stream"))
      _ = try other.ask("SEND a 1")
      #expect(try client.valuesSoFar(1) == ["1"])
    },
    Obligation("3.2", what: "`REQ` may arrive at any time, even in the same packet as its `SUB`") {
      server in
      let client = try server.framed()
      try client.say("SUB (1...9).publisher\nREQ 1 2\nREQ 1 1")
      #expect(
        try client.linesSoFar() == ["OK sub 1 - demand=0", "= 1 1", "= 1 2", "= 1 3"]
      )
    },
    Obligation(
      "3.3",
      what: "A million `REQ 1 1` are a million values, in bounded memory and stack depth"
    ) { server in
      let client = try server.framed()
      _ = try client.ask("SUB (1...1000000).publisher as=1")
      let requests = Array(String(repeating: "REQ 1 1\n", count: 10_000).utf8)
      var next = 1
      for _ in 0..<100 {
        try client.send(requests)
        for line in try client.lines(10_000) {
          if line != "= 1 \(next)" { throw TestFailure("\(line) where \(next) was due") }
          next += 1
        }
      }
      #expect(try client.line() == "DONE 1")
    },
    Obligation("3.4", what: "`REQ` waits for nothing: what follows it is answered at once") {
      server in
      let client = try server.framed()
      try client.say("SUB Just(1).delay(for: 60)", "REQ 1 1")
      #expect(try client.linesSoFar() == ["OK sub 1 - demand=0"])
      server.advance(seconds: 60)
      #expect(try client.lines(2) == ["= 1 1", "DONE 1"])
    },
    Obligation(
      "3.5",
      "3.7",
      what: "`CANCEL` is answered as often as it is sent; only the first one counts"
    ) { server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      try client.say("SUB a 1", "CANCEL 1", "CANCEL 1", "CANCEL 1")
      #expect(
        try client.lines(4) == [
          "OK sub 1 a demand=1", "OK cancel 1 values=0 missed=0 undelivered=0",
          "OK cancel 1 ended", "OK cancel 1 ended",
        ]
      )
    },
    Obligation("3.6", what: "After `CANCEL`, `REQ` does nothing") { server in
      try server.prepare("SUBJECT a")
      let client = try server.connect()
      try client.say("SUB a 1", "CANCEL 1", "REQ 1 5", "SEND a 1")
      #expect(
        try client.lines(4).dropFirst(2) == ["OK req 1 ended", "OK send a to=0 missed=0"]
      )
    },
    Obligation("3.8", what: "`REQ`s add up to exactly as many values") { server in
      let client = try server.framed()
      try client.say("SUB (1...100).publisher 1", "REQ 1 2", "REQ 1 3", "REQ 1 4")
      #expect(try client.valuesSoFar(1) == (1...10).map(String.init))
    },
    Obligation(
      "3.9",
      what: "`REQ` of 0 or less fails that stream with `bad-demand`, and nothing else"
    ) { server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      try client.say("SUB a 1", "SUB a 1", "SUB a 1", "REQ 1 0", "REQ 2 -4", "SEND a 1")
      #expect(
        try client.lines(7).dropFirst(3) == [
          "FAIL 1 bad-demand demand is 0, expected 1 or more",
          "FAIL 2 bad-demand demand is -4, expected 1 or more", "= 3 1", "OK send a to=1 missed=0",
        ]
      )
    },
    Obligation("3.10", "3.11", what: "Values and the end may follow a `REQ` at once") { server in
      let client = try server.connect()
      try client.say("SUB (1...2).publisher")
      _ = try client.lines(2)
      try client.say("REQ 1 2")
      #expect(try client.lines(4) == ["OK req 1 demand=2", "= 1 1", "= 1 2", "DONE 1"])
    },
    Obligation(
      "3.12",
      "3.13",
      "3.14",
      what:
        "After `CANCEL` or the loss of the connection nothing of the stream remains; a shared upstream goes with the last subscriber"
    ) { server in
      try server.prepare("SUBJECT a", "PIPELINE p = a.flatMap { Just($0).delay(for: 9) }.share()")
      let client = try server.framed()
      let lost = try server.framed()
      let watcher = try server.framed()
      try client.say("SUB p 5", "SUB p 5", "SUB a 5")
      try lost.say("SUB p 5", "SUB a.delay(for: 5) max", "SEND a 1")
      _ = try client.lines(3)
      _ = try lost.lines(3)
      #expect(try watcher.ask("SHOW a", rowWith: "subscriptions=").contains("subscriptions=3 "))
      #expect(try client.line() == "= 3 1")
      lost.reset()
      try client.say("CANCEL 1", "CANCEL 3")
      _ = try client.lines(2)
      // The reset and the commands use different sockets, so this waits for both.
      try Patience.wait(for: "the end of all subscriptions but one") {
        try watcher.ask("SHOW a", rowWith: "subscriptions=").hasPrefix("* subscriptions=1 ")
      }
      _ = try client.ask("CANCEL 2")
      #expect(try watcher.ask("SHOW a", rowWith: "subscriptions=").contains("subscriptions=0 "))
      #expect(try watcher.ask("LIST streams") == "OK list 0")
    },
    Obligation(
      "3.15",
      "3.16",
      what: "`REQ` and `CANCEL` never end the connection, whatever they name"
    ) { server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      _ = try client.ask("SUB a as=5")
      for line in [
        "REQ 4 1", "REQ 99 1", "REQ nobody 1", "REQ 5 99999999999999999999", "REQ 5.1 1",
      ] {
        try client.say(line)
      }
      for line in ["CANCEL 4", "CANCEL 99", "CANCEL nobody", "CANCEL 18446744073709551616"] {
        try client.say(line)
      }
      let lines = try client.linesSoFar()
      #expect(lines.filter { $0.hasPrefix("OK cancel 4 ended") }.count == 1)
      #expect(lines.filter { $0.contains("ERR ") }.count == 6)
    },
    Obligation(
      "3.17",
      what: "Demand adds up to 2^63−1 values; beyond that it is unlimited and stays so"
    ) { server in
      try server.prepare("SUBJECT a")
      let client = try server.connect()
      try client.say("SUB a", "REQ 1 9223372036854775806", "REQ 1 1", "REQ 1 1", "REQ 1 5")
      #expect(
        try client.lines(6).dropFirst(2) == [
          "OK req 1 demand=9223372036854775806", "OK req 1 demand=max",
          "OK req 1 demand=max", "OK req 1 demand=max",
        ]
      )
    },
  ]
}
