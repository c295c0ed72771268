import Dispatch
import FlowNATS
import FlowNATSSupport
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("Subjects in NATS")
struct SharedSubjectTests {
  private let lossless = "SUBJECT a flow=slowest on=nats"

  // MARK: Publishing

  @Test("SEND is answered when its value is stored, with its place")
  func send() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
    #expect(try client.ask("@t SEND a 2") == "@t OK send a seq=2")
    #expect(play.stored("a") == ["1", "2"])
  }

  @Test("a subject that is refused for want of memory is not made in NATS")
  func isRefusedForMemory() throws {
    var configuration = Configuration()
    configuration.memory = 100_000
    let play = try PlayedServer(configuration)
    let client = try play.framed()
    var (number, answer) = (0, "")
    while !answer.hasPrefix("ERR"), number < 40 {
      number += 1
      answer = try client.ask("SUBJECT s\(number) on=nats")
    }
    #expect(answer.hasPrefix("ERR limit "))
    play.advance(seconds: 1)
    let stream = "flow_s\(number)"
    #expect(play.play { $0.streams[stream] == nil })
  }

  @Test("while a batch is under way the queue grows, and the next batch takes it")
  func batches() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    try play.say(client, ["1", "2", "3"].map { "SEND a \($0)" }.joined(separator: "\n"))
    _ = try client.lines(3)
    try play.say(client, (4...40).map { "SEND a \($0)" }.joined(separator: "\n"))
    #expect(try client.lines(37).last == "OK send a seq=40")
    #expect(play.stored("a") == (1...40).map { "\($0)" })
    #expect(play.takeRequests("PUBLISH").count < 12)
  }

  @Test("a batch whose answer is lost is sent again, known as a repetition, and stored once")
  func lostAnswer() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    // By itself, and as a batch: 10201, where the place is not known.
    play.fail("PUBLISH", .unanswered)
    try play.say(client, "SEND a 1")
    play.advance(seconds: 3)
    #expect(try client.line() == "OK send a seq=1")
    play.fail("PUBLISH", .unanswered)
    try play.say(client, "SEND a 2\nSEND a 3")
    play.advance(seconds: 3)
    #expect(try client.lines(2).allSatisfy { $0.hasPrefix("OK send a") })
    #expect(play.stored("a") == ["1", "2", "3"])
  }

  @Test(
    "what is refused or not heard is sent again until it is stored",
    arguments: [
      PlayedNATS.Fault.lost, .unanswered, .refused(0), .refused(10008), .refused(10176),
      .refused(10210), .refused(10077), .refused(10023), .refused(10028), .refused(10047),
    ]
  )
  func again(_ fault: PlayedNATS.Fault) throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    play.fail("PUBLISH", fault, fault)
    try play.say(client, "SEND a 1")
    play.advance(seconds: 4.75)
    #expect(try client.line() == "OK send a seq=1")
    #expect(play.stored("a") == ["1"])
  }

  @Test("a publication is granted more when its values are stored, not before")
  func grants() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    #expect(try client.ask("PUB a as=1 grant=3") == "OK pub 1 a demand=3")
    play.fail("PUBLISH", .unanswered)
    try play.say(client, "= 1 x\n= 1 y\n= 1 z\n@t PING")
    #expect(try client.line() == "@t PONG")
    play.advance(seconds: 3)
    #expect(try client.line().hasPrefix("REQ 1 "))
    #expect(play.stored("a") == ["x", "y", "z"])
    #expect(try client.ask("@u DONE 1").contains("OK done 1"))
  }

  @Test("a subject of flow=free grants no more than its outbox takes either")
  func freeGrants() throws {
    let play = try PlayedServer(lines: "SUBJECT a on=nats")
    #expect(try play.framed().ask("PUB a as=1") == "OK pub 1 a demand=64")
  }

  @Test("the end of a publication is confirmed when its values are stored, and FEED as well")
  func ends() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    _ = try client.ask("PUB a as=1")
    play.fail("PUBLISH", .lost)
    try play.say(client, "= 1 x\n@t DONE 1")
    play.advance(seconds: 3)
    #expect(try client.line() == "@t OK done 1")
    let feeder = try play.framed()
    play.fail("PUBLISH", .lost)
    try play.say(feeder, "FEED a\ny\nz\n.\n")
    play.advance(seconds: 3)
    #expect(try feeder.line() == "OK feed a sent=2 missed=0 refused=0")
    #expect(play.stored("a") == ["x", "y", "z"])
  }

  @Test("what is uncertain for 100 s is away")
  func away() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    _ = try client.ask("PUB a as=1")
    play.fail("PUBLISH", .unanswered)
    try play.say(client, "= 1 x\nSEND a y")
    play.settle()
    play.play {
      $0.isThere = false
      $0.disconnect()
    }
    play.advance(seconds: 6)
    #expect(try client.line().hasPrefix("ERR away "))
    play.advance(seconds: 99)
    #expect(try client.line() == "CANCEL 1 away")
    play.play { $0.isThere = true }
    play.advance(seconds: 3)
    #expect(try client.ask("SEND a z").hasPrefix("OK send a seq="))
  }

  @Test("without NATS the server is there, SEND is away, and all goes on when NATS comes")
  func startsAlone() throws {
    let play = try PlayedServer { $0.isThere = false }
    let client = try play.framed()
    try play.say(client, lossless)
    play.advance(seconds: 6)
    #expect(try client.line().hasPrefix("ERR away "))
    #expect(try client.ask("LIST") == "OK list 0")
    // By a file it stays.
    try play.server.server.load(lossless, file: "x.flow")
    try play.say(client, "SEND a 1")
    play.advance(seconds: 6)
    #expect(try client.line().hasPrefix("ERR away "))
    #expect(try client.ask("PUB a as=5") == "OK pub 5 a demand=0")
    let reader = try play.framed()
    try play.say(reader, "SUB a 5")
    play.advance(seconds: 1)
    play.play { $0.isThere = true }
    play.advance(seconds: 3)
    #expect(try reader.line() == "OK sub 1 a demand=5")
    #expect(try client.line() == "REQ 5 64")
    try play.say(client, "= 5 x")
    #expect(try reader.line() == "= 1 x")
  }

  @Test("TAIL is refused behind a SEND that waits for NATS")
  func tailBehindSend() throws {
    let play = try PlayedServer { $0.isThere = false }
    try play.server.server.load(lossless, file: "x.flow")
    let client = try play.framed()
    try play.say(client, "SEND a 1\nTAIL a")
    play.advance(seconds: 6)
    #expect(try client.rest().map { $0.prefix(9) } == ["ERR away ", "ERR usage"])
  }

  @Test("a name that only NATS can know is away until NATS has told its names")
  func unread() throws {
    let play = try PlayedServer { $0.isThere = false }
    let client = try play.framed("SUBJECT here")
    for line in [
      "SUB a", "SUB a.map { $0 } 1", "SUB here.merge(with: a) 1", "SUB a durable=d", "SEND a 1",
      "TAKE a 1",
      "PUB a", "SHOW a", "DELETE a", "DONE a", "STATS a", "RUN r = here.assign(to: a)",
    ] {
      let answer = try client.ask(line)
      #expect(answer.hasPrefix("ERR away NATS has not answered"), "\(line)")
      #expect(answer.hasSuffix("; it may know \"a\", this server alone does not"), "\(line)")
    }
    #expect(try client.ask("SEND here 1").hasPrefix("OK send here"))
    #expect(try client.ask("SEND 5 1").hasPrefix("ERR "))
    play.play { $0.isThere = true }
    play.advance(seconds: 3)
    #expect(try client.ask("SEND a 1").hasPrefix("ERR unknown-name "))
    #expect(try client.ask("SUB a.map { $0 } 1").hasPrefix("ERR syntax "))
  }

  @Test("values that NATS cannot take are refused")
  func tooLong() throws {
    let play = try PlayedServer {
      $0.info = #"{"version":"2.15.1","headers":true,"max_payload":1024}"#
    }
    let client = try play.framed()
    _ = try client.ask(lossless)
    let long = String(repeating: "x", count: 513)
    #expect(try client.ask("SEND a \(long)").hasPrefix("ERR value-too-long "))
    #expect(try client.ask("SEND a \(long.dropLast())") == "OK send a seq=1")
    _ = try client.ask("PUB a as=1")
    try play.say(client, "= 1 \(long)")
    #expect(try client.line() == "CANCEL 1 value-too-long")
  }

  // MARK: The stream

  @Test("the same definition again is OK, a stream with other settings is ERR exists")
  func definitions() throws {
    let play = try PlayedServer()
    let client = try play.framed()
    let answer = "OK subject a passthrough flow=slowest on=nats"
    #expect(try client.ask(lossless) == answer)
    #expect(try client.ask(lossless) == answer)
    play.play { nats in
      let stream = PlayedNATS.Stream()
      (stream.name, stream.subjects, stream.most) = ("flow_b", ["flow.v.b", "flow.e.b"], 7)
      nats.streams["flow_b"] = stream
    }
    #expect(try client.ask("SUBJECT b flow=slowest on=nats").hasPrefix("ERR exists "))
    #expect(try client.ask("SHOW b").hasPrefix("ERR unknown-name "))
    #expect(try client.ask("LIST").hasPrefix("* subject a passthrough flow=slowest on=nats "))
  }

  @Test("what NATS refuses to make is refused; of a file it is tried again")
  func refusedStream() throws {
    let play = try PlayedServer()
    let client = try play.framed()
    play.fail("STREAM.CREATE", .refused(10074), .refused(10074))
    #expect(try client.ask(lossless) == "ERR limit NATS says: error 10074")
    #expect(try client.ask("LIST") == "OK list 0")
    try play.server.server.load(lossless, file: "x.flow")
    play.advance(seconds: 2)
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
  }

  @Test("DELETE removes the stream")
  func deletion() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 1")
    #expect(try client.ask("DELETE a") == "OK delete a")
    #expect(try client.line() == "FAIL 1 deleted subject a was deleted")
    #expect(play.play { $0.streams["flow_a"] == nil })
  }

  @Test("commands behind a DELETE find the name deleted")
  func behindDeletion() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SEND a 0")
    play.fail("NAMES PUBLISH", .late)
    try play.say(client, "DELETE a\n\(lossless)\nSEND a 1")
    play.settle()
    play.play { $0.answerLate() }
    play.advance(seconds: 1)
    let made = "OK subject a passthrough flow=slowest on=nats"
    #expect(try client.lines(3) == ["OK delete a", made, "OK send a seq=1"])
    #expect(play.stored("a") == ["1"])
  }

  // MARK: A NATS that loses data

  @Test("a subject whose stream NATS has lost stays lost until it is deleted")
  func lostStream() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 1")
    let watcher = try play.framed("SUB $events.filter { $0.event == \"nats-lost\" } 9")
    try play.say(client, "SEND a 1\nSEND a 2\nSEND a 3")
    _ = try client.lines(4)
    play.play { $0.deleteStream("a") }
    try play.say(client, "SEND a 4")
    play.advance(seconds: 4)
    let text = "NATS has lost the stream of a with 2 unread values"
    let advice = "; DELETE a, then define it again"
    #expect(Set(try client.lines(2)) == ["DROP 1 2 gap", "ERR away \(text)\(advice)"])
    #expect(try watcher.line().contains(#""count":2"#))
    for line in ["SEND a 5", "PUB a", "SUB a 1", "SUB a 1 durable=d", lossless] {
      #expect(try client.ask(line) == "ERR away \(text)\(advice)", "\(line)")
    }
    try play.say(client, "SHOW a")
    play.advance(seconds: 2)
    #expect(try client.rest { $0.hasPrefix("OK show ") }[1].contains(" nats=lost"))
    #expect(verdict(on: "a", play) == "\(text).")
    play.advance(seconds: 60)
    #expect(play.play { $0.streams["flow_NAMES"]?.messages.map(\.text) } != ["DELETE"])
    try play.say(client, "DELETE a\n\(lossless)\nSEND a 6")
    play.advance(seconds: 1)
    let lines = try client.lines(4)
    #expect(Set(lines.prefix(2)) == ["OK delete a", "FAIL 1 deleted subject a was deleted"])
    #expect(lines.last == "OK send a seq=1")
  }

  @Test("a stream without its end takes no values, but the rest can be read")
  func lostTail() throws {
    let play = try PlayedServer(lines: lossless)
    let reader = try play.framed("SUB a 2")
    let client = try play.framed()
    try play.say(client, (1...6).map { "SEND a \($0)" }.joined(separator: "\n"))
    #expect(try client.lines(6).last == "OK send a seq=6")
    #expect(try reader.lines(2) == ["= 1 1", "= 1 2"])
    play.play { $0.loseEnd(of: "a", behind: 4) }
    play.advance(seconds: 8)
    #expect(try reader.line() == "DROP 1 2 gap")
    let text = "ERR away NATS has lost the end of the stream of a with 2 unread values"
    #expect(try client.ask("SEND a 7").hasPrefix(text))
    try play.say(reader, "REQ 1 9")
    play.advance(seconds: 1)
    #expect(try reader.lines(2) == ["= 1 3", "= 1 4"])
    #expect(play.stored("a").suffix(2) == ["3", "4"])
  }

  /// A server that is started with what the NATS of another one has.
  private func start(after play: PlayedServer) throws -> PlayedServer {
    let old = play.play { $0 }
    return try PlayedServer { nats in
      nats.streams = old.streams
      nats.streams["flow_LEASES"] = nil
      for consumer in nats.streams.values.flatMap(\.consumers.values) { consumer.pulls = [] }
    }
  }

  @Test("a server that is started knows of a lost end that another one has found")
  func lostTailAtStart() throws {
    let old = try PlayedServer(lines: lossless)
    let reader = try old.framed()
    try old.say(reader, "SUB a 2 durable=x")
    old.advance(seconds: 1)
    let client = try old.framed()
    try old.say(client, (1...6).map { "SEND a \($0)" }.joined(separator: "\n"))
    #expect(try client.lines(6).last == "OK send a seq=6")
    try old.say(reader, "REQ 1 1")
    old.advance(seconds: 1)
    #expect(try reader.lines(4).last == "= 1 3")
    old.play { $0.loseEnd(of: "a", behind: 4) }
    old.advance(seconds: 8)
    let play = try start(after: old)
    play.advance(seconds: 8)
    let other = try play.framed()
    let text = "ERR away NATS has lost the end of the stream of a with 2 unread values"
    #expect(try other.ask("SEND a 7").hasPrefix(text))
    try play.say(other, "SUB a 9 durable=x as=2")
    play.advance(seconds: 2)
    #expect(
      try other.lines(5) == [
        "OK sub 2 a demand=9", "DROP 2 2 gap", "= 2 2", "= 2 3", "= 2 4",
      ]
    )
    try play.say(other, "DELETE a")
    #expect(try other.lines(2).contains("OK delete a"))
    withExtendedLifetime(old) {}
  }

  @Test("a stream that ends before a consumer begins has lost its end, as a new server finds")
  func lostBehindConsumer() throws {
    let old = try PlayedServer(lines: lossless)
    let client = try old.framed()
    for number in 1...6 { _ = try client.ask("SEND a \(number)") }
    old.play { nats in
      let consumer = PlayedNATS.Consumer("d-x-other-7", 7, true, "elsewhere:4050")
      // NATS lets it have no more than there is, and keeps where it was told to begin.
      consumer.floor = 4
      nats.streams["flow_a"]?.consumers[consumer.name] = consumer
      nats.loseEnd(of: "a", behind: 4)
    }
    let play = try start(after: old)
    play.advance(seconds: 8)
    let text = "ERR away NATS has lost the end of the stream of a; DELETE a, then define it again"
    #expect(try play.framed().ask("SEND a 7") == text)
    withExtendedLifetime(old) {}
  }

  @Test("a stream has three replicas, or one where NATS is no cluster", arguments: [3, 1])
  func replicas(_ most: Int) throws {
    let play = try PlayedServer { $0.mostReplicas = most }
    let client = try play.framed(lossless)
    for name in ["flow_NAMES", "flow_a"] {
      #expect(play.play { $0.streams[name]?.replicas } == most)
    }
    guard most == 1 else { return }
    #expect(try client.ask("SUBJECT b on=nats replicas=3") == "ERR limit NATS says: error 10074")
  }

  @Test("values that other servers sent before the loss are counted as lost")
  func lostFromOthers() throws {
    let play = try PlayedServer(lines: lossless)
    let reader = try play.framed("SUB a 2")
    play.play { nats in
      for number in 1...6 { nats.put("\(number)", into: "a") }
    }
    #expect(try reader.lines(2) == ["= 1 1", "= 1 2"])
    try play.say(reader, "REQ 1 1")
    #expect(try reader.line() == "= 1 3")
    play.play { $0.deleteStream("a") }
    try play.say(reader, "REQ 1 1")
    play.advance(seconds: 5)
    #expect(try reader.line() == "DROP 1 3 gap")
  }

  @Test("a subject whose name NATS has lost too is lost, and can be deleted")
  func lostEverything() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SEND a 1")
    play.play { nats in
      nats.streams = [:]
      nats.disconnect()
    }
    play.advance(seconds: 6)
    #expect(try client.ask("SEND a 2").hasPrefix("ERR away NATS has lost the stream of a with 1 "))
    try play.say(client, "DELETE a\n\(lossless)\nSEND a 3")
    play.advance(seconds: 1)
    #expect(try client.lines(3).last == "OK send a seq=1")
  }

  @Test("another server's DELETE is not taken for a loss, even if heard late")
  func deletedElsewhere() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 1", "SEND a 1")
    _ = try client.line()
    play.play { $0.deleteStream("a") }
    try play.say(client, "SEND a 2")
    play.advance(seconds: 1)
    play.play { $0.define("a", "DELETE") }
    play.advance(seconds: 3)
    let lines = try client.lines(2)
    #expect(lines.contains("FAIL 1 deleted subject a was deleted"))
    #expect(lines.contains { $0.hasPrefix("ERR away subject a was deleted; ") })
    #expect(try client.ask("SEND a 1").hasPrefix("ERR unknown-name "))
  }

  // MARK: Forged messages

  @Test(
    "no message of another client of NATS crashes the server",
    arguments: [
      "MOVE r 9223372036854775807", "0 TAKE", "18446744073709551615 REQ 9223372036854775807",
    ]
  )
  func forgedTalk(_ text: String) throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 9")
    let epoch = play.server.server.perform {
      $0.stores.store(SharedSubjects.self)?.link.epoch ?? ""
    }
    play.play { nats in
      for end in ["run", "1", "18446744073709551615"] {
        nats.say(text, at: "flow.c.\(epoch).\(end)", from: "x")
      }
      for name in nats.streams["flow_a"]?.consumers.keys.map({ $0 }) ?? [] {
        for place in ["18446744073709551615", "18446744073709551614", "9223372036854775807"] {
          nats.forge("MSG flow.v.a 1 $JS.ACK.flow_a.\(name).1.\(place).1.0.\(place)", "1")
        }
      }
      nats.put("x", into: "a")
    }
    play.settle()
    #expect(try client.line() == "= 1 x")
  }

  @Test("impossible numbers from NATS do not crash the server")
  func forgedNumbers() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 9")
    let great = "18446744073709551615"
    play.play {
      $0.listed = #","missing":null"#
      $0.forgedRow =
        #"{"name":"x","config":{"opt_start_seq":\#(great)},"num_pending":\#(great),"#
        + #""num_ack_pending":\#(great),"ack_floor":{"stream_seq":\#(great)}}"#
      $0.faults["PUBLISH"] = [.stored(first: 0, answers: true)]
      for place in ["-9223372036854775808", great] {
        $0.put("y", into: "a", headers: "Nats-Batch-Id: z.1\r\nNats-Batch-Sequence: \(place)\r\n")
      }
    }
    _ = try client.lines(2)
    try play.say(client, "SEND a 1\nSEND a 2\nSHOW a")
    play.advance(seconds: 6)
    let rows = try client.rest { $0.hasPrefix("OK show ") }
    #expect(rows.contains { $0.hasPrefix("* reader consumer=x ") })
  }

  @Test("what NATS still sends for a connection that was lost is not taken for what comes next")
  func late() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 9")
    let old = play.play { $0.streams["flow_a"]?.consumers.keys.first } ?? ""
    play.play { nats in
      nats.disconnect()
      for text in ["1", "2", "3"] { nats.put(text, into: "a") }
      nats.faults["PULL"] = [.lost]
    }
    play.advance(seconds: 2)
    play.play { $0.deliverLate("a", to: old, 3) }
    play.advance(seconds: 15)
    #expect(try client.lines(3) == ["= 1 1", "= 1 2", "= 1 3"])
  }

  @Test("a name has levels in NATS, too, and a pattern joins what lives there")
  func levels() throws {
    let play = try PlayedServer(lines: "SUBJECT s/a flow=slowest on=nats", "SUBJECT s/b")
    let client = try play.framed()
    #expect(try client.ask("SUB s/*.map { [$name, $0] } 9") == "OK sub 1 - demand=9")
    try play.say(client, "SEND s/a 1\nSEND s/b 2\nSUBJECT s/c on=nats\nSEND s/c 3")
    #expect(
      Set(try client.lines(7)) == [
        "OK send s/a seq=1", "OK send s/b to=1 missed=0",
        "OK subject s/c passthrough flow=free on=nats",
        "OK send s/c seq=1", "= 1 [\"s/a\",1]", "= 1 [\"s/b\",2]", "= 1 [\"s/c\",3]",
      ]
    )
    #expect(play.stored("s+a") == ["1"] && play.stored("s+c") == ["3"])
    #expect(try client.ask("DELETE s/a") == "OK delete s/a")
    #expect(play.play { $0.streams["flow_s+a"] == nil })
  }

  @Test("the end is in the stream behind all values, and there is only one")
  func end() throws {
    let play = try PlayedServer(lines: lossless, "SUBJECT b on=nats")
    let client = try play.framed()
    _ = try client.ask("SUB a 9")
    try play.say(client, "SEND a 1\nSEND a 2\nDONE a")
    #expect(
      Set(try client.lines(6)) == [
        "= 1 1", "= 1 2", "OK send a seq=1", "OK send a seq=2", "OK done a", "DONE 1",
      ]
    )
    #expect(try client.ask("SEND a 3").hasPrefix("ERR completed "))
    #expect(try client.ask("DONE a").hasPrefix("ERR completed "))
    #expect(play.play { $0.streams["flow_a"]?.subjects } == ["flow.e.a"])
    // Elsewhere somebody was first.
    _ = try client.ask("SUB b 9")
    play.play { nats in
      nats.streams["flow_b"]?.subjects = ["flow.e.b"]
      nats.put("it burns", into: "b", headers: "Flow-End: fail too-hot\r\n")
    }
    #expect(try client.line() == "FAIL 2 too-hot it burns")
    #expect(try client.ask("PUB b").hasPrefix("ERR completed "))
  }

  @Test(
    "what is under way when another server ends the subject is answered as NATS answers",
    arguments: [
      (PlayedNATS.Fault.late, "OK send a seq=1"), (.unanswered, "ERR away "),
      (.refused(0), "ERR completed "),
    ]
  )
  func endMeanwhile(_ fault: PlayedNATS.Fault, _ answer: String) throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 9")
    let feeder = try play.framed()
    play.fail("PUBLISH", fault)
    try play.say(client, "SEND a 1")
    play.settle()
    // These have to wait for it, so they are never sent.
    try play.say(feeder, "FEED a\n2\n3\n.")
    play.play { nats in
      nats.streams["flow_a"]?.subjects = ["flow.e.a"]
      nats.put("", into: "a", headers: "Flow-End: done\r\n")
    }
    let isStored = fault != .refused(0)
    #expect(try client.lines(isStored ? 2 : 1) == (isStored ? ["= 1 1", "DONE 1"] : ["DONE 1"]))
    play.play { $0.answerLate() }
    play.advance(seconds: 5)
    #expect(try client.line().hasPrefix(answer))
    #expect(
      try feeder.line().hasPrefix("OK feed a sent=0 missed=0 refused=2 why=completed")
    )
    #expect(try client.ask("SEND a 4").hasPrefix("ERR completed "))
  }

  @Test("where a subject is ended while a batch is looked for, it is said which values are stored")
  func foundBehindEnd() throws {
    let play = try PlayedServer(lines: lossless)
    // What it has not asked for stays in the stream.
    let reader = try play.framed("SUB a 1")
    let client = try play.framed()
    _ = try client.ask("SEND a 0")
    play.play {
      $0.faults["PUBLISH"] = [.stored(first: 2, answers: true)]
      $0.faults["STREAM.INFO"] = [.late]
    }
    try play.say(client, "SEND a 1\nSEND a 2\nSEND a 3")
    play.settle()
    play.play { nats in
      nats.streams["flow_a"]?.subjects = ["flow.e.a"]
      nats.put("", into: "a", headers: "Flow-End: done\r\n")
    }
    play.settle()
    play.play { $0.answerLate() }
    play.advance(seconds: 5)
    let answers = try client.lines(3)
    #expect(answers.prefix(2) == ["OK send a seq=2", "OK send a seq=3"])
    #expect(answers[2].hasPrefix("ERR away "))
    try play.say(reader, "REQ 1 9")
    #expect(try reader.lines(4) == ["= 1 0", "= 1 1", "= 1 2", "DONE 1"])
  }

  @Test("a value that NATS no longer takes when it comes back is too long, and others go on")
  func smallerPayload() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    let long = String(repeating: "x", count: 2000)
    for (first, answer) in [("1", "OK send a seq="), (long, "ERR away ")] {
      play.play { $0.faults["PUBLISH"] = [.lost] }
      try play.say(client, "SEND a \(first)")
      play.settle()
      try play.say(client, "SEND a 2\nSEND a \(long)\nSEND a 3")
      play.play {
        $0.info.replace("1048576", with: "1024")
        $0.disconnect()
      }
      play.advance(seconds: 5)
      #expect(try client.line().hasPrefix(answer))
      let answers = try client.lines(3)
      #expect(answers[0].hasPrefix("OK send a seq=") && answers[2].hasPrefix("OK send a seq="))
      let tooLong = "ERR value-too-long the value is too long for NATS; the limit is 512 bytes"
      #expect(answers[1] == tooLong)
      play.play {
        $0.info.replace("1024", with: "1048576")
        $0.disconnect()
      }
      play.advance(seconds: 5)
    }
    #expect(play.stored("a") == ["1", "2", "3", "2", "3"])
  }

  private func verdict(on name: String, _ play: PlayedServer) -> String? {
    play.server.server.perform { engine in
      engine.registry.subject(name).map { engine.verdict(on: $0, SlowReaders(engine)).text }
    }
  }

  @Test("who keeps publishers waiting from another server is said, though nothing waits here")
  func heldUpElsewhere() throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=2 on=nats")
    let client = try play.framed()
    #expect(verdict(on: "a", play) == "Nobody reads a on this server.")
    play.play { $0.consume("a", "d-bill-other-8", upTo: 0) }
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
    #expect(try client.ask("SEND a 2") == "OK send a seq=2")
    #expect(try client.ask("PUB a") == "OK pub 1 a demand=0")
    play.advance(seconds: 1)
    let text = "Held up by durable bill on elsewhere:4050: 2 values wait in NATS."
    #expect(verdict(on: "a", play) == text)
    _ = try play.framed("SUB a 9")
    play.advance(seconds: 1)
    #expect(verdict(on: "a", play) == text)
    play.play { $0.consume("a", "d-bill-other-8", upTo: 2) }
    play.advance(seconds: 1)
    #expect(try client.line() == "REQ 1 2")
    #expect(verdict(on: "a", play)?.hasPrefix("Held up") == false)
  }

  @Test("names a foreign consumer that holds up publishers")
  func heldUpByStranger() throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=2 on=nats")
    let client = try play.framed()
    play.play { $0.consume("a", "audit", upTo: 0) }
    for number in 1...2 { #expect(try client.ask("SEND a \(number)") == "OK send a seq=\(number)") }
    #expect(try client.ask("PUB a") == "OK pub 1 a demand=0")
    play.advance(seconds: 1)
    let text = "Held up by consumer audit of another client of NATS: 2 values wait in NATS."
    #expect(verdict(on: "a", play) == text)
    try play.say(client, "SHOW a")
    play.advance(seconds: 1)
    let rows = try client.rest { $0.hasPrefix("OK show ") }
    #expect(rows[1].contains(" used=2 slowest=consumer=audit "))
    #expect(rows.contains { $0.hasPrefix("* reader consumer=audit ") && $0.hasSuffix(" behind=2") })
  }

  @Test("a server whose subscriptions lack the right hold reads at once and holds up nobody")
  func guests() throws {
    var configuration = Configuration()
    configuration.tokens = [Token("root"), Token("guest", rights: .subscribe)]
    let play = try PlayedServer(
      configuration,
      lines: "AUTH root",
      "SUBJECT a flow=slowest room=2 on=nats"
    )
    let client = try play.framed("AUTH root")
    let guest = try play.framed("AUTH guest")
    #expect(try guest.ask("SUB a") == "OK sub 1 a demand=0 flow=free")
    play.play { nats in for number in 1...5 { nats.put("\(number)", into: "a") } }
    play.advance(seconds: 1)
    try play.say(guest, "REQ 1 1")
    try play.say(client, "SEND a 6")
    play.advance(seconds: 1)
    #expect(try client.line() == "OK send a seq=6")
    #expect(try guest.lines(2) == ["DROP 1 5 no-demand", "= 1 6"])
    #expect(
      try guest.ask("SUB a durable=d").hasPrefix("ERR denied this token may not define or delete a")
    )
  }

  @Test("a server that has only read so far can send at once")
  func roomOfReader() throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=2 on=nats")
    let client = try play.framed("SUB a 99")
    play.play { nats in for number in 1...9 { nats.put("\(number)", into: "a") } }
    _ = try client.lines(9)
    play.advance(seconds: 5)
    try play.say(client, "SEND a x")
    play.advance(seconds: 1)
    #expect(Set(try client.lines(2)) == ["OK send a seq=10", "= 1 x"])
    play.play { nats in for number in 1...9 { nats.put("\(number)", into: "a") } }
    _ = try client.lines(9)
    #expect(try client.ask("PUB a as=7").hasPrefix("OK pub 7 a "))
    play.advance(seconds: 1)
    try play.say(client, "= 7 y")
    play.advance(seconds: 1)
    #expect(try client.linesSoFar().last == "= 1 y")
  }

  @Test("a search in a full NATS does not search the same messages again")
  func searchedOnce() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SEND a 0")
    play.play { $0.faults["PUBLISH"] = Array(repeating: .refused(10047), count: 100) }
    try play.say(client, "PUB a as=5\n= 5 1\n= 5 2")
    play.play { nats in for number in 1...50 { nats.put("\(number)", into: "a") } }
    play.advance(seconds: 30)
    #expect(play.takeRequests("STREAM.MSG").count <= 60)
    play.play { $0.faults = [:] }
    play.advance(seconds: 3)
    #expect(play.stored("a").suffix(2) == ["1", "2"])
    #expect(play.stored("a").count == 53)
  }

  @Test(
    "what a server has left that died at this address holds up nobody",
    arguments: [true, false]
  )
  func leftBehind(_ isThere: Bool) throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=3 on=nats")
    let place = play.server.server.perform { $0.clients.place }
    play.play { nats in
      nats.consume("a", "s-old-1", upTo: 0, by: place)
      if isThere { nats.processes = ["old"] }
      for number in 1...3 { nats.put("\(number)", into: "a") }
    }
    let client = try play.framed()
    try play.say(client, "SUB a 9")
    play.advance(seconds: 2)
    #expect(try client.line() == "OK sub 1 a demand=9")
    #expect(play.play { $0.streams["flow_a"]?.consumers["s-old-1"] != nil } == isThere)
    // What nobody holds waits for the first that comes.
    if !isThere { #expect(try client.lines(3) == ["= 1 1", "= 1 2", "= 1 3"]) }
    try play.say(client, "SHOW a")
    play.advance(seconds: 2)
    #expect(try client.lines(2)[1].contains(isThere ? " used=3 " : " used=0 "))
  }

  @Test("whoever cancels at once is answered", arguments: ["slowest", "free"])
  func cancelledAtOnce(_ flow: String) throws {
    let play = try PlayedServer(lines: "SUBJECT a replay 2 flow=\(flow) on=nats")
    let client = try play.framed()
    try play.say(client, "SUB a 1 as=1\nCANCEL 1\nPING\nSUB a 0\nQUIT")
    let lines = try client.lines(6)
    #expect(
      lines == [
        "OK sub 1 a demand=1", "OK cancel 1 values=0 missed=0 undelivered=0", "PONG",
        "OK sub 2 a demand=0", "OK quit", "BYE quit bye",
      ]
    )
  }

  @Test("nothing is said of a stream before it is said that it is open")
  func answeredFirst() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    try play.say(client, "SUB a.prepend(7) 5")
    #expect(try client.lines(2) == ["OK sub 1 - demand=5", "= 1 7"])
    #expect(try client.ask("CANCEL 1").hasPrefix("OK cancel 1 values=1 "))
    try play.say(client, "SUB a.prefix(0)")
    #expect(try client.lines(2) == ["OK sub 2 - demand=0", "DONE 2"])
    play.play { $0.faults["CONSUMER.CREATE"] = [.late] }
    try play.say(client, "TAKE a 1 within=10ms")
    play.advance(seconds: 0.1)
    #expect(try client.lines(2).map { $0.prefix(9) } == ["OK take 3", "FAIL 3 ti"])
    play.play { $0.answerLate() }
    play.advance(seconds: 1)
    #expect(try client.ask("PING") == "PONG")
    play.play { $0.faults["CONSUMER.CREATE"] = [.late] }
    try play.say(client, "SUB a.prepend(8) 5\nPING")
    play.advance(seconds: 0.1)
    play.play { $0.answerLate() }
    play.advance(seconds: 0.1)
    let lines = try client.lines(3)
    #expect(lines.first == "OK sub 4 - demand=5" && Set(lines.dropFirst()) == ["PONG", "= 4 8"])
  }

  @Test("what went out comes to nobody again, however CANCEL is heard", arguments: [true, false])
  func cancelledAway(_ isThere: Bool) throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 3")
    try play.say(client, "SEND a 1\nSEND a 2\nSEND a 3\nSEND a 4")
    _ = try client.lines(7)
    play.play { nats in
      nats.faults["CONSUMER.LIST"] = [.lost, .refused(0)]
      nats.faults["STREAM.PURGE"] = [.lost]
      guard !isThere else { return }
      nats.isThere = false
      nats.disconnect()
    }
    try play.say(client, "CANCEL 1")
    play.settle()
    play.play { $0.isThere = true }
    play.advance(seconds: 9)
    #expect(try client.line() == "OK cancel 1 values=3 missed=0 undelivered=0")
    #expect(play.play { $0.streams["flow_a"]?.consumers.isEmpty } == true)
    #expect(play.stored("a") == ["4"])
    #expect(try client.ask("SUB a 9") == "OK sub 2 a demand=9")
    #expect(try client.line() == "= 2 4")
  }

  @Test("what is purged before a consumer is made is nothing that its reader misses")
  func purgedBefore() throws {
    let play = try PlayedServer(lines: "SUBJECT a replay 5 flow=slowest on=nats")
    play.play { nats in
      for number in 1...9 { nats.put("\(number)", into: "a") }
      nats.faults["STREAM.INFO"] = [.late]
    }
    let client = try play.framed()
    try play.say(client, "SUB a 9")
    play.settle()
    play.play { nats in
      nats.streams["flow_a"]?.messages.removeFirst(6)
      nats.answerLate()
    }
    play.advance(seconds: 1)
    #expect(try client.lines(4) == ["OK sub 1 a demand=9", "= 1 7", "= 1 8", "= 1 9"])
  }

  @Test("when CANCEL is answered, whoever comes next on another server begins behind")
  func cancelled() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 1")
    try play.say(client, "SEND a 1\nSEND a 2")
    _ = try client.lines(3)
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=1 missed=0 undelivered=0")
    let (consumers, first) = play.play { nats in
      (nats.streams["flow_a"]?.consumers.count, nats.streams["flow_a"]?.first)
    }
    #expect(consumers == 0 && first == 2)
    // Also where somebody comes meanwhile.
    #expect(try client.ask("SUB a 0") == "OK sub 2 a demand=0")
    try play.say(client, "CANCEL 2\nSUB a 5")
    #expect(
      try client.lines(3) == [
        "OK cancel 2 values=0 missed=0 undelivered=0", "OK sub 3 a demand=5", "= 3 2",
      ]
    )
  }

  /// How a server elsewhere is that holds up publishers.
  enum Elsewhere: CaseIterable { case dead, there, back }

  @Test("a server that is dead holds up publishers for 12 s", arguments: Elsewhere.allCases)
  func absentReaders(_ elsewhere: Elsewhere) throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=3 on=nats")
    play.play { nats in
      nats.consume("a", "s-other-1", upTo: 0)
      nats.consume("a", "d-bill-gone-8", upTo: 1)
      if elsewhere == .there { nats.processes = ["other"] }
    }
    let client = try play.framed()
    for number in 1...3 { #expect(try client.ask("SEND a \(number)") == "OK send a seq=\(number)") }
    #expect(try client.ask("PUB a") == "OK pub 1 a demand=0")
    func isKept() -> Bool {
      play.play { $0.streams["flow_a"]?.consumers["s-other-1"] != nil }
    }
    play.advance(seconds: 11)
    #expect(isKept())
    if elsewhere == .back {
      play.play { $0.processes = ["other"] }
      play.advance(seconds: 1.5)
      play.play { $0.processes = [] }
      play.advance(seconds: 11)
      #expect(isKept())
    }
    play.advance(seconds: 4)
    #expect(isKept() == (elsewhere == .there))
    if elsewhere != .there { #expect(try client.line() == "REQ 1 1") }
    // Who comes back acknowledges nothing of a durable subscription.
    #expect(play.play { $0.streams["flow_a"]?.consumers["d-bill-gone-8"] != nil })
  }

  @Test("a batch that NATS had no disk for is stored later, though NATS remembers its ids")
  func mistakenRepetition() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    play.play { $0.faults["PUBLISH"] = [.refused(10023), .refused(10047)] }
    try play.say(client, "SEND a 1\nSEND a 2\nSEND a 3")
    play.advance(seconds: 3)
    let answers = try client.lines(3)
    #expect(answers == (1...3).map { "OK send a seq=\($0)" })
    #expect(play.stored("a") == ["1", "2", "3"])
    // Also where a try was not answered: it is not there.
    play.play { $0.faults["PUBLISH"] = [.lost, .refused(10023)] }
    try play.say(client, "SEND a 4\nSEND a 5")
    play.advance(seconds: 4.5)
    #expect(try client.lines(2) == (4...5).map { "OK send a seq=\($0)" })
    // What comes later has nothing uncertain about it, however long there is no disk.
    #expect(try client.ask("PUB a as=5").hasPrefix("OK pub 5 a demand="))
    play.play { $0.faults["PUBLISH"] = Array(repeating: .refused(10023), count: 500) }
    try play.say(client, "= 5 6")
    play.advance(seconds: 110)
    #expect(try client.linesSoFar() == [])
    play.play { $0.faults = [:] }
    play.advance(seconds: 2)
    #expect(play.stored("a") == (1...6).map(String.init))
    #expect(try client.ask("SEND a 7") == "OK send a seq=7")
  }

  @Test(
    "of a batch that NATS had room for in part each value is stored once",
    arguments: 0...4,
    [true, false]
  )
  func partlyStored(_ count: Int, _ answers: Bool) throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    _ = try client.ask("SEND a 0")
    play.play {
      $0.faults["PUBLISH"] = [.stored(first: count, answers: answers)]
      // Others send meanwhile.
      $0.put("x", into: "a")
    }
    try play.say(client, (1...4).map { "SEND a \($0)" }.joined(separator: "\n"))
    play.settle()
    play.play { $0.put("y", into: "a") }
    play.advance(seconds: 5)
    let answers = try client.lines(4)
    let places = (1...4).map { $0 <= count ? $0 + 2 : $0 + 3 }
    #expect(answers == places.map { "OK send a seq=\($0)" })
    let values = (1...4).map(String.init)
    let stored = ["0", "x"] + values.prefix(count) + ["y"] + values.dropFirst(count)
    #expect(play.stored("a") == stored)
  }

  @Test("a batch that NATS knows and is still storing is stored once")
  func storedLate() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    play.play { $0.faults["PUBLISH"] = [.stored(first: 0, answers: false)] }
    try play.say(client, "SEND a 1\nSEND a 2")
    play.advance(seconds: 2.5)
    play.play { nats in
      let names = nats.requests.filter { $0.hasPrefix("PUBLISH ") }
      #expect(names == ["PUBLISH 1,2", "PUBLISH 1,2"])
      nats.storeWhatIsLate()
    }
    play.advance(seconds: 3)
    #expect(try client.lines(2) == ["OK send a seq=1", "OK send a seq=2"])
    #expect(play.stored("a") == ["1", "2"])
  }

  @Test("of a batch that was purged in part nobody says that all of it was there")
  func partlyPurged() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    play.play { $0.faults["PUBLISH"] = [.refused(10023), .stored(first: 1, answers: false)] }
    _ = try client.ask("PUB a as=5")
    try play.say(client, "= 5 1\n= 5 2\n= 5 3")
    play.advance(seconds: 1)
    play.play { $0.streams["flow_a"]?.messages.removeAll() }
    play.advance(seconds: 5)
    #expect(try client.line() == "CANCEL 5 away")
    #expect(try client.ask("SEND a 4") == "OK send a seq=2")
  }

  @Test("a NATS without disk or memory is full, and what waits for it goes on when it has some")
  func noStorage() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 9")
    play.play { $0.faults["PUBLISH"] = Array(repeating: .refused(10047), count: 100) }
    try play.say(client, "SEND a 1")
    play.advance(seconds: 5.5)
    let answer = try client.line()
    #expect(answer == "ERR away NATS has no room to store it; a may or may not have been stored")
    #expect(verdict(on: "a", play) == "NATS is full: what is sent to a waits here.")
    try play.say(client, "SHOW a")
    play.advance(seconds: 0.1)
    let rows = try client.lines(5)
    #expect(rows[1].contains("waiting=1 ") && rows[1].hasSuffix("nats=full"), "\(rows)")
    play.play { $0.faults = [:] }
    play.advance(seconds: 2)
    #expect(try client.line() == "= 1 1")
    #expect(verdict(on: "a", play)?.hasPrefix("Quiet: ") == true)
  }

  @Test("the end of a subject needs no room in NATS, and comes behind the values that wait")
  func endWithoutRoom() throws {
    let play = try PlayedServer(lines: lossless)
    let reader = try play.framed("SUB a 1")
    let client = try play.framed("SEND a 1", "SEND a 2")
    #expect(try reader.line() == "= 1 1")
    play.play { $0.faults["PUBLISH"] = Array(repeating: .refused(10047), count: 100) }
    #expect(try client.ask("FAIL a too-hot it \"burns\"") == "OK fail a")
    #expect(try client.ask("SEND a 3").hasPrefix("ERR completed "))
    play.advance(seconds: 15)
    #expect(try reader.ask("REQ 1 1") == "= 1 2")
    #expect(try reader.line() == "FAIL 1 too-hot it \"burns\"")
    #expect(play.play { $0.streams["flow_a"]?.end } != nil)
  }

  @Test("a value that another client of NATS sends as an end is a value")
  func noEnd() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 9")
    play.play { $0.put("x", at: "flow.v.a", into: "a", headers: "Flow-End: done\r\n") }
    #expect(try client.line() == "= 1 x")
    try play.say(client, "SEND a 2")
    #expect(Set(try client.lines(2)) == ["= 1 2", "OK send a seq=2"])
    try play.say(client, "DONE a")
    #expect(Set(try client.lines(2)) == ["OK done a", "DONE 1"])
    #expect(
      try client.ask("SUBJECT a flow=slowest on=nats")
        == "ERR exists subject a has completed; DELETE it first, then define it again"
    )
  }

  @Test("who comes after the end of a current subject gets the end alone, wherever it came from")
  func endOfCurrent() throws {
    let play = try PlayedServer(
      lines: "SUBJECT c current 5 on=nats",
      "SUBJECT d current 5 on=nats",
      "SUBJECT r replay 1 on=nats"
    )
    let client = try play.framed()
    for name in ["c", "r"] {
      play.play { nats in
        nats.put("6", into: name)
        nats.streams["flow_\(name)"]?.subjects = ["flow.e.\(name)"]
        nats.put("", into: name, headers: "Flow-End: done\r\n")
      }
    }
    #expect(try client.ask("SUB c 9") == "OK sub 1 c demand=9")
    #expect(try client.line() == "DONE 1")
    #expect(try client.ask("SUB r 9") == "OK sub 2 r demand=9")
    #expect(try client.lines(2) == ["= 2 6", "DONE 2"])
    _ = try client.ask("SEND d 6")
    _ = try client.ask("DONE d")
    #expect(try client.ask("SUB d 9 as=7") == "OK sub 7 d demand=9")
    #expect(try client.line() == "DONE 7")
  }

  @Test("the end needs no demand, whether or not it is heard of", arguments: [true, false])
  func endWithoutDemand(_ isHeard: Bool) throws {
    let play = try PlayedServer(lines: lossless)
    play.play { $0.heardBySubject = isHeard }
    let client = try play.framed("SUB a 1", "SEND a 1")
    #expect(["= 1 1", "OK send a seq=1"].contains(try client.line()))
    play.play { nats in
      nats.put("2", into: "a")
      nats.streams["flow_a"]?.subjects = ["flow.e.a"]
      nats.put("", into: "a", headers: "Flow-End: done\r\n")
    }
    play.advance(seconds: 15)
    #expect(try client.linesSoFar() == [])
    #expect(try client.ask("REQ 1 1") == "= 1 2")
    play.advance(seconds: 1)
    #expect(try client.line() == "DONE 1")
  }

  @Test("a stream that takes no values and has no end for 10 s is ended")
  func lostEnd() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    play.play { $0.streams["flow_a"]?.subjects = ["flow.e.a"] }
    _ = try client.ask("SUB a 1")
    play.advance(seconds: 11)
    #expect(try client.line() == "FAIL 1 publisher-lost the publisher ended without DONE")
  }

  @Test(
    "a server that stops deletes its consumers, those of runs as well, and leaves nothing unsaid"
  )
  func stop() throws {
    let play = try PlayedServer(lines: lossless, "SUBJECT b", "RUN r = a.assign(to: b)")
    play.settle()
    #expect(play.play { $0.streams["flow_a"]?.consumers.count } == 1)
    // That the last client has gone is no end.
    play.advance(seconds: 1)
    #expect(play.play { $0.streams["flow_a"]?.consumers.count } == 1)
    play.server.server.stop(drain: 0) {}
    play.advance(seconds: 1)
    #expect(play.play { $0.streams["flow_a"]?.consumers.count } == 0)
  }

  @Test("a server that stops does not wait for a stream that NATS has lost")
  func stopWithoutStream() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 1")
    try play.say(client, "SEND a 1")
    _ = try client.lines(2)
    play.play { $0.deleteStream("a") }
    try play.say(client, "SEND a 2")
    play.advance(seconds: 4)
    #expect(try client.line().hasPrefix("ERR away NATS has lost the stream of a"))
    let stopped = DispatchSemaphore(value: 0)
    play.server.server.stop(drain: 0) { stopped.signal() }
    play.advance(seconds: 1)
    #expect(stopped.wait(timeout: .now()) == .success)
  }

  // MARK: Room

  @Test(
    "publishers get ahead of the slowest subscription by the room, and no more",
    arguments: [1, 10]
  )
  func room(_ size: Int) throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=\(size) on=nats")
    let client = try play.framed()
    let reader = try play.framed()
    _ = try reader.ask("SUB a")
    for number in 1...size { _ = try client.ask("SEND a \(number)") }
    try play.say(client, "SEND a last")
    play.advance(seconds: 2)
    #expect(play.stored("a").count == size)
    try play.say(reader, "REQ 1 1")
    #expect(try reader.line() == "= 1 1")
    play.advance(seconds: 2)
    #expect(try client.line() == "OK send a seq=\(size + 1)")
    try play.say(client, "SEND a more")
    play.advance(seconds: 6)
    #expect(try client.line() == "ERR no-demand a had no room for 5000 ms; the value was not sent")
  }

  @Test(
    "a list of consumers that is not whole purges nothing",
    arguments: [#","missing":["s-x-1"]"#, #","offline":{"s-x-1":"x"}"#]
  )
  func partialList(_ more: String) throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=2 on=nats")
    play.play { $0.listed = more }
    let client = try play.framed()
    _ = try client.ask("SUB a 9")
    try play.say(client, "SEND a 1\nSEND a 2\nSEND a 3")
    play.advance(seconds: 2)
    #expect(play.stored("a") == ["1", "2"])
    play.play { $0.listed = "" }
    play.advance(seconds: 2)
    #expect(play.stored("a").last == "3")
  }

  @Test("what another server has had purged makes room, though nobody reads any more")
  func purgedElsewhere() throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=2 on=nats")
    let client = try play.framed("SEND a 1", "SEND a 2")
    play.play { $0.streams["flow_a"]?.messages = [] }
    try play.say(client, "SEND a 3")
    play.advance(seconds: 1)
    #expect(try client.line() == "OK send a seq=3")
  }

  @Test("a lost acknowledgement is said again, so that publishers go on")
  func lostAck() throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest room=1 on=nats")
    let client = try play.framed()
    _ = try client.ask("SUB a 9")
    play.fail("ACK", .lost, .unanswered)
    try play.say(client, "SEND a 1\nSEND a 2")
    play.advance(seconds: 4)
    #expect(
      Set(try client.lines(4)) == ["= 1 1", "= 1 2", "OK send a seq=1", "OK send a seq=2"]
    )
  }

  // MARK: Reading

  @Test("a later subscription begins with what comes, the first with what waits")
  func beginnings() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    for number in 1...3 { _ = try client.ask("SEND a \(number)") }
    #expect(try client.ask("SUB a 2") == "OK sub 1 a demand=2")
    #expect(try client.lines(2) == ["= 1 1", "= 1 2"])
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=2 missed=0 undelivered=0")
    #expect(try client.ask("TAKE a 1 as=2") == "OK take 2 a demand=1")
    #expect(try client.lines(2) == ["= 2 3", "DONE 2"])
  }

  @Test("a subject that keeps values reads them from the stream")
  func kept() throws {
    let play = try PlayedServer(lines: "SUBJECT a replay 2 on=nats", "SUBJECT c current 5 on=nats")
    let client = try play.framed()
    for number in 1...3 { _ = try client.ask("SEND a \(number)") }
    #expect(try client.ask("SUB a 9") == "OK sub 1 a demand=9")
    #expect(try client.lines(2) == ["= 1 2", "= 1 3"])
    #expect(try client.ask("SUB c 9") == "OK sub 2 c demand=9")
    #expect(try client.line() == "= 2 5")
    play.play { $0.put("6", into: "c") }
    #expect(try client.line() == "= 2 6")
    _ = try client.ask("CANCEL 2")
    #expect(try client.ask("SUB c 1 as=9") == "OK sub 9 c demand=1")
    #expect(try client.line() == "= 9 6")
  }

  @Test(
    "whoever comes when nobody is there gets what the subject keeps, however often that was read",
    arguments: ["free", "slowest"]
  )
  func keptAgain(_ flow: String) throws {
    let play = try PlayedServer(
      lines: "SUBJECT a replay 2 flow=\(flow) on=nats",
      "SUBJECT c current 5 flow=\(flow) on=nats"
    )
    let client = try play.framed("SUB a 9", "SUB c 9")
    #expect(try client.line() == "= 2 5")
    // By the server's own messages, in one batch and alone, which it knows again.
    try play.say(client, "SEND a 1\nSEND a 2\nSEND a 3\nSEND c 6")
    _ = try client.lines(8)
    for id in 3...5 {
      _ = try client.ask("CANCEL 1")
      _ = try client.ask("CANCEL 2")
      play.advance(seconds: 1)
      try play.say(client, "SUB a 9 as=1\nSUB c 9 as=2")
      let lines = Set(try client.lines(5))
      #expect(lines.isSuperset(of: ["= 1 2", "= 1 3", "= 2 6"]), "round \(id)")
    }
    #expect(try client.ask("SHOW a").contains("left-out=") == false)
  }

  @Test("whoever comes while the subject is being closed misses nothing of what is sent then")
  func keptWhileClosing() throws {
    let play = try PlayedServer(lines: "SUBJECT a replay 2 flow=slowest on=nats")
    let client = try play.framed("SUB a 99")
    for number in 1...9 { play.play { $0.put("\(number)", into: "a") } }
    #expect(try client.lines(9).last == "= 1 9")
    play.play { $0.faults["CONSUMER.DELETE"] = [.late] }
    try play.say(client, "CANCEL 1")
    play.settle()
    try play.say(client, "SUB a 99 as=2")
    play.settle()
    play.play { $0.answerLate() }
    play.advance(seconds: 1)
    for number in 10...12 { play.play { $0.put("\(number)", into: "a") } }
    let lines = try client.lines(7)
    let answers = ["OK cancel 1 values=9 missed=0 undelivered=0", "OK sub 2 a demand=99"]
    #expect(lines == answers + (8...12).map { "= 2 \($0)" })
  }

  @Test(
    "whatever goes wrong with a consumer, nothing is missed and nothing comes twice",
    arguments: [
      ("CONSUMER.CREATE", [PlayedNATS.Fault.lost]), ("CONSUMER.CREATE", [.unanswered]),
      ("CONSUMER.CREATE", [.refused(0), .refused(10008)]), ("STREAM.INFO", [.lost]),
      ("CONSUMER.DELETE", [.lost, .unanswered]), ("PULL", [.refused(0)]), ("PULL", [.lost]),
    ]
  )
  func consumers(_ kind: String, _ faults: [PlayedNATS.Fault]) throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    _ = try client.ask("SUB a 100")
    for number in 1...3 { play.play { $0.put("\(number)", into: "a") } }
    #expect(try client.lines(3) == ["= 1 1", "= 1 2", "= 1 3"])
    play.play { $0.faults[kind] = faults }
    // The connection is lost, then the leader changes, while values come.
    play.play {
      $0.disconnect()
      $0.put("4", into: "a")
    }
    play.advance(seconds: 30)
    play.play { nats in
      for consumer in nats.streams["flow_a"]?.consumers.values ?? [:].values {
        nats.dropPulls(consumer, "409 Leadership Change")
      }
      nats.put("5", into: "a")
    }
    play.advance(seconds: 30)
    #expect(try client.linesSoFar() == ["= 1 4", "= 1 5"])
    // Of the consumers that were made one is left, so that nobody waits for another.
    #expect(play.play { $0.streams["flow_a"]?.consumers.count } == 1)
    _ = try client.ask("CANCEL 1")
    play.advance(seconds: 3)
    #expect(play.play { $0.streams["flow_a"]?.consumers.count } == 0)
  }

  @Test("repetitions that NATS has stored are left out")
  func repetitions() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    _ = try client.ask("SUB a 100")
    let ids = ["x.1", "x.2", "x.1", "x.3", "y.1", "x.3"]
    for (place, id) in ids.enumerated() {
      play.play {
        $0.put("\(place)", into: "a", headers: "Nats-Msg-Id: \(id)\r\nFlow-Id: 1\r\n")
      }
    }
    // A batch that is there twice: only its first value says so.
    for id in ["x.7", "x.8"] {
      play.play {
        let own = "Nats-Msg-Id: x.6\r\nFlow-Id: 1\r\n"
        $0.put("first", into: "a", headers: "Nats-Batch-Id: \(id)\r\n\(own)")
        $0.put("second", into: "a", headers: "Nats-Batch-Id: \(id)\r\n")
      }
    }
    // Other clients of NATS may use any numbers.
    play.play {
      for id in ["x.2", "x.1"] { $0.put(id, into: "a", headers: "Nats-Msg-Id: \(id)\r\n") }
    }
    #expect(
      try client.lines(8)
        == ["= 1 0", "= 1 1", "= 1 3", "= 1 4", "= 1 first", "= 1 second", "= 1 x.2", "= 1 x.1"]
    )
  }

  @Test("what the stream no longer has is a gap, or too-slow where nothing may be missed")
  func gaps() throws {
    let play = try PlayedServer(lines: lossless, "SUBJECT b on=nats")
    let client = try play.framed()
    _ = try client.ask("SUB a 100")
    _ = try client.ask("SUB b 100")
    play.play { nats in
      nats.isThere = false
      nats.disconnect()
      for name in ["a", "b"] {
        for number in 1...5 { nats.put("\(number)", into: name) }
        nats.streams["flow_\(name)"]?.messages.removeFirst(3)
        nats.streams["flow_\(name)"]?.consumers = [:]
      }
      nats.isThere = true
    }
    play.advance(seconds: 3)
    let lines = try client.linesSoFar()
    #expect(lines.filter { !$0.hasPrefix("FAIL 1 ") } == ["DROP 2 3 gap", "= 2 4", "= 2 5"])
    #expect(lines.contains { $0.hasPrefix("FAIL 1 too-slow 3 values of a were dropped") })
  }

  @Test("a lone subscription without room fails when another server is further on")
  func laggard() throws {
    let play = try PlayedServer(lines: "SUBJECT a flow=slowest stall=4s on=nats")
    let client = try play.framed()
    _ = try client.ask("SUB a 1")
    play.play { nats in
      let other = PlayedNATS.Consumer("s-other-1", 1, true)
      nats.streams["flow_a"]?.consumers["s-other-1"] = other
      for number in 1...3 { nats.put("\(number)", into: "a") }
    }
    #expect(try client.line() == "= 1 1")
    play.advance(seconds: 20)
    #expect(try client.linesSoFar() == [])
    play.play { $0.streams["flow_a"]?.consumers["s-other-1"]?.floor = 3 }
    play.advance(seconds: 20)
    #expect(try client.line().hasPrefix("FAIL 1 too-slow no room for values of a for 4000 ms"))
  }

  @Test(
    "never asks for more than is granted, nor misses anything",
    arguments: 1...5 as ClosedRange<UInt64>
  )
  func exact(_ seed: UInt64) throws {
    var generator = SeededGenerator(state: seed)
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    var demand: [Int: Int] = [:]
    var received: [Int: [String]] = [:]
    var sent = 0
    for id in 1...6 {
      demand[id] = 0
      try play.say(client, "SUB a as=\(id)")
    }
    _ = try client.lines(6)
    for step in 1...RandomCases.count(300) {
      switch Int.random(in: 0..<8, using: &generator) {
      case 0..<4:
        let (id, count) = (
          Int.random(in: 1...6, using: &generator), Int.random(in: 1...9, using: &generator)
        )
        demand[id, default: 0] += count
        try play.say(client, "REQ \(id) \(count)")
      case 4..<7:
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
          sent += 1
          let text = "\(sent)"
          play.play { $0.put(text, into: "a") }
        }
      case _ where step % 7 == 0: play.play { $0.disconnect() }
      default:
        play.play { nats in
          for consumer in nats.streams["flow_a"]?.consumers.values ?? [:].values {
            nats.dropPulls(consumer, "408 Request Timeout")
          }
        }
      }
      if step % 10 == 0 { play.advance(seconds: 0.5) }
      let (open, given) = play.play { nats in
        let consumers = nats.streams["flow_a"]?.consumers.values ?? [:].values
        return (
          consumers.map { $0.asked - $0.given }.reduce(0, +),
          consumers.allSatisfy { $0.given <= $0.asked }
        )
      }
      #expect(given)
      // What is asked for and has not come is within the least demand that is left.
      let used = received.values.map(\.count).min() ?? 0
      #expect(open <= max(0, (demand.values.min() ?? 0) - used))
      for line in try client.linesSoFar() where line.hasPrefix("= ") {
        let words = line.split(separator: " ")
        received[Int(words[1]) ?? 0, default: []].append(String(words[2]))
      }
    }
    for id in 1...6 { try play.say(client, "REQ \(id) 2000") }
    play.advance(seconds: 3)
    for line in try client.linesSoFar() where line.hasPrefix("= ") {
      let words = line.split(separator: " ")
      received[Int(words[1]) ?? 0, default: []].append(String(words[2]))
    }
    for id in 1...6 { #expect(received[id] == (1...sent).map { "\($0)" }) }
  }
}
