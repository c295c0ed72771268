import FlowServerSupport
import FlowTestSupport
import Testing

// Section 1: the server where it sends values, and a client that publishes.
extension Obligation {
  static let publishers = [
    Obligation("1.1", what: "Values sent ≤ the sum of `REQ`, at every frame") { server in
      try server.prepare("SUBJECT a", "SUBJECT b replay 50")
      var play = DemandPlay(seed: 11, server: try server.framed(), sender: try server.framed())
      try play.open(
        "a",
        "b",
        "a.filter { $0 % 3 == 0 }",
        "b.flatMap(maxPublishers: .max(2)) { [$0, $0].publisher }",
        "a.buffer(size: 7, prefetch: .byRequest, whenFull: .dropOldest)",
        "(1...1000).publisher"
      )
      for _ in 0..<300 { try play.step() }
    },
    Obligation("1.2", what: "Fewer values than requested may arrive, then `DONE`; none is invented")
    {
      server in
      let client = try server.framed()
      try client.say("SUB (1...3).publisher 10")
      #expect(
        try client.lines(5) == ["OK sub 1 - demand=10", "= 1 1", "= 1 2", "= 1 3", "DONE 1"]
      )
    },
    Obligation(
      "1.3",
      what: "A frame is never interrupted by another, whoever sends at the same time"
    ) {
      server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      try client.say("SUB a max", "SUB a.map { $0 } max")
      _ = try client.lines(2)
      let senders = try (0..<4).map { _ in try server.framed() }
      for sender in senders { try sender.say("PUB a as=1") }
      for number in 0..<50 {
        for (index, sender) in senders.enumerated() {
          let text = "first \(index)\nsecond \(number)"
          try sender.send(
            Array(": 1 \(text.utf8.count)\n\(text)\n= 1 \"\(index) \(number)\"\n".utf8)
          )
        }
      }
      // The senders stay until all is read, since closing with unread answers would be a reset.
      try withExtendedLifetime(senders) {
        for _ in 0..<400 {
          let head = try client.line()
          guard head.hasPrefix(": ") else { continue }
          #expect(try client.line().hasPrefix("first "))
          #expect(try client.line().hasPrefix("second "))
        }
      }
    },
    Obligation(
      "1.4",
      what: "An error in a stage is a `FAIL` of that stream only; "
        + "a value without an answer is a `DROP`"
    ) { server in
      let client = try server.framed()
      try client.say("SUB (1...3).publisher.tryMap { 6 / (2 - $0) } 9", "SUB (1...2).publisher 9")
      let lines = try client.lines(6)
      #expect(lines[1] == "= 1 6")
      #expect(lines[2].hasPrefix("FAIL 1 stage tryMap { 6 / (2 - $0) }: "))
      #expect(lines[3...] == ["OK sub 2 - demand=9", "= 2 1", "= 2 2"])
      _ = try client.line()
      try client.say("SUB (1...3).publisher.map { 6 / (2 - $0) } 9")
      let others = Set(try client.lines(5))
      #expect(others == ["OK sub 3 - demand=9", "= 3 6", "DROP 3 1 failed", "= 3 -6", "DONE 3"])
    },
    Obligation(
      "1.5",
      what: "A source without further values is `DONE`, and needs no demand for that"
    ) {
      server in
      let client = try server.framed()
      try client.say("SUB (1...2).publisher 2", "SUB Empty()")
      #expect(
        try client.lines(6)
          == ["OK sub 1 - demand=2", "= 1 1", "= 1 2", "DONE 1", "OK sub 2 - demand=0", "DONE 2"]
      )
    },
    Obligation(
      "1.6",
      "1.7",
      what:
        "After `DONE` or `FAIL` nothing with that id arrives; a late `REQ` or `CANCEL` is not an error"
    ) { server in
      try server.prepare("SUBJECT a")
      let client = try server.connect()
      try client.say("SUB a 5", "DONE a", "REQ 1 5", "REQ 1 0", "CANCEL 1", "SEND a 1")
      #expect(
        try client.lines(7) == [
          "OK sub 1 a demand=5", "OK done a", "DONE 1", "OK req 1 ended", "OK req 1 ended",
          "OK cancel 1 ended",
          "ERR completed subject a has completed; DELETE it first, then define it again",
        ]
      )
    },
    Obligation("1.8", what: "`OK cancel` is the fence: nothing with that id follows") { server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      let sender = try server.framed()
      for id in 1...20 {
        try client.say("SUB a max as=\(id)")
        try sender.say((0..<50).map { "SEND a \($0)" }.joined(separator: "\n"))
        try client.say("CANCEL \(id)")
        _ = try client.rest { $0.hasPrefix("OK cancel \(id) ") }
        _ = try sender.lines(50)
        #expect(try client.linesSoFar() == [])
      }
    },
    Obligation("1.9", what: "`OK sub` precedes everything else of its stream") { server in
      let client = try server.framed()
      try client.say("SUB Empty() as=7", "SUB Fail(\"no\") as=8", "SUB Just(1) 1 as=9")
      #expect(
        try client.lines(7) == [
          "OK sub 7 - demand=0", "DONE 7", "OK sub 8 - demand=0", "FAIL 8 stage no",
          "OK sub 9 - demand=1", "= 9 1", "DONE 9",
        ]
      )
    },
    Obligation(
      "1.10",
      what: "An id belongs to one stream at a time, and is free directly after its end"
    ) { server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      try client.say(
        "SUB a as=3",
        "SUB a 1 as=3",
        "REQ 3 1",
        "CANCEL 3",
        "SUB a 1 as=3",
        "SEND a 5"
      )
      #expect(
        try client.lines(6) == [
          "OK sub 3 a demand=0", "ERR id-in-use stream 3 is already open; omit as= for a free id",
          "OK cancel 3 values=0 missed=0 undelivered=0", "OK sub 3 a demand=1", "= 3 5",
          "OK send a to=1 missed=0",
        ]
      )
    },
    Obligation("1.11", what: "Any number of streams read one subject, each at its own demand") {
      server in
      try server.prepare("SUBJECT a")
      let client = try server.framed()
      for id in 1...100 { #expect(try client.ask("SUB a \(id) as=\(id)").hasPrefix("OK sub")) }
      let sender = try server.framed()
      for number in 1...100 {
        #expect(
          try sender.ask("SEND a \(number)") == "OK send a to=\(101 - number) missed=\(number - 1)"
        )
      }
      let lines = try client.linesSoFar()
      for id in 1...100 {
        #expect(TestClient.values(id, in: lines) == (1...id).map(String.init))
      }
    },
  ]
}
