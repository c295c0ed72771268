import FlowTestSupport
import FlowWire
import Testing

@Suite("Answer")
struct AnswerTests {
  @Test("each answer is read as it is written", arguments: Verb.allCases)
  func bothWays(_ verb: Verb) throws {
    var values = RandomValues(seed: 7)
    for _ in 0..<100 {
      for answer in values.answers(to: verb) {
        let line = String(decoding: ServerLine.ok(answer).bytes.dropLast(), as: UTF8.self)
        #expect(line.hasPrefix("OK "))
        #expect(try TaggedServerLine(line) == TaggedServerLine(.ok(answer)))
        #expect(answer.text == line.dropFirst(3))
      }
    }
  }

  @Test("every answer in the transcripts of protocol.md is known, and written as it stands there")
  func transcripts() throws {
    let lines = try ProtocolPage.lines.filter {
      let words = $0.dropFirst(3).split(separator: " ").drop { $0.hasPrefix("@") }
      return $0.dropFirst().hasPrefix("< ") && words.first == "OK" && !$0.contains("…")
    }
    #expect(lines.count > 100)
    for line in lines {
      let text = String(line.dropFirst(3))
      let read = try TaggedServerLine(text)
      if case .ok(.other) = read.line { Issue.record("\(text) is not known") }
      var bytes: [UInt8] = []
      read.write(into: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self) == text + "\n")
    }
  }
}

extension RandomValues {
  /// Answers of all forms that a command may have.
  mutating func answers(to verb: Verb) -> [Answer] {
    switch verb {
    case .hello: [.hello(ping: time, name: word)]
    case .ping, .tail: []
    case .auth: [.plain(verb)]
    case .quit: [.plain(verb), .plain(verb, "streams=\(count) wait=10s")]
    case .help: [.plain(verb), .plain(verb, word)]
    case .subject: [.subject(name: name, settings)]
    case .pipeline: [.pipeline(name: name, stages: count)]
    case .run, .delete, .show: [.plain(verb, name)]
    case .list, .stats: [.plain(verb, "\(count)")]
    case .watch: [.plain(verb), .plain(verb, name)]
    case .explain: [.explain(stages: count)]
    case .kill:
      [
        .kill(.client(count)), .kill(.stream(client: count, stream)),
        .kill(.name(name), ended: count),
      ]
    case .send:
      [
        .send(name: name, to: count, missed: count), .stored(name: name, sequence: UInt64(count)),
        .stored(name: name, sequence: nil),
      ]
    case .done, .fail:
      [.completed(verb, target), .completed(verb, target, delivery), .ended(verb, id)]
    case .feed: [.feed(name: name, figures)]
    case .publish:
      [
        .open(verb, stream, name: name, demand: demand),
        .value(id, .sent(to: count, missed: count, demand: demand)),
        .value(id, .held(count, demand: demand)), .value(id, .dropped(demand: demand)),
        .value(id, .passed(demand: demand)), .value(id, .ended),
      ]
    case .subscribe, .take, .tap, .serve:
      [
        .open(verb, stream, name: name, demand: demand),
        .open(verb, stream, name: "-", demand: demand),
        .open(verb, stream, name: name, demand: demand, flow: .free),
      ]
    case .request: [.request(id, demand: demand), .ended(verb, id)]
    case .cancel:
      [
        .cancel(id, values: count, missed: count, undelivered: count),
        .cancel(
          id,
          values: count,
          missed: count,
          undelivered: count,
          why: ["no-demand": count, "unmatched": count]
        ), .ended(verb, id),
      ]
    }
  }
}
