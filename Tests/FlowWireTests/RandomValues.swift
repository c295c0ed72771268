import FlowTestSupport
import FlowWire

/// What stands in the lines of the protocol, made of a seed.
struct RandomValues {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(state: seed) }

  private mutating func text(of letters: String, _ length: ClosedRange<Int>) -> String {
    let letters = Array(letters)
    return String(
      (0..<Int.random(in: length, using: &generator)).map { _ in
        letters[Int.random(in: 0..<letters.count, using: &generator)]
      }
    )
  }

  private mutating func maybe<Value>(_ value: Value) -> Value? {
    Bool.random(using: &generator) ? value : nil
  }

  private mutating func one<Value>(of values: [Value]) -> Value {
    values[Int.random(in: 0..<values.count, using: &generator)]
  }

  var name: String {
    mutating get { text(of: "aZ_", 1...1) + text(of: "bY09_-", 0...127) }
  }

  /// Whatever may stand between two blanks.
  var word: String? {
    mutating get { maybe(text(of: "aé漢09-_=.{}\"", 1...40)) }
  }

  var code: String { mutating get { text(of: "abz", 1...1) + text(of: "az-9", 0...20) } }

  /// Whatever may stand behind the last blank.
  var rest: String { mutating get { text(of: "aé =\t{}.", 0...40) } }

  var count: Int {
    mutating get { Int.random(in: 0...one(of: [1, 9, 1000, Int.max]), using: &generator) }
  }

  var stream: StreamID {
    mutating get {
      let most = one(of: [1, 99, StreamID.largest])
      return StreamID(rawValue: UInt64.random(in: 1...most, using: &generator))
    }
  }

  /// A stream or a call.
  var id: StreamID {
    mutating get {
      let (stream, call) = (stream, stream)
      return one(of: [stream, StreamID(service: stream.rawValue, call: call.rawValue)])
    }
  }

  var target: Target { mutating get { one(of: [.stream(id), .name(name), .name("$" + code)]) } }

  var demand: Demand { mutating get { one(of: [.none, .unlimited, .max(UInt64(count))]) } }

  /// Nanoseconds, in whole milliseconds.
  var time: Int64? {
    mutating get {
      maybe(Int64.random(in: 1...one(of: [9, 3000, 1_000_000]), using: &generator) * 1_000_000)
    }
  }

  mutating func expression(at column: Int) -> Expression {
    let texts = [
      "orders", "$events", "a.filter { $0 > 1 }", "[1, 2].publisher", #"a.map { "} é \($0) x" }"#,
      "ask(b, 7) .retry(3)",
    ]
    return Expression(one(of: texts), column: column)
  }

  /// Any bytes but a line end.
  var value: [UInt8] {
    mutating get {
      (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        UInt8.random(in: 14...255, using: &generator)
      }
    }
  }

  var newID: StreamID? { mutating get { maybe(stream) } }

  var grant: Int? { mutating get { maybe(Int.random(in: 1...65_536, using: &generator)) } }

  var size: Int? { mutating get { maybe(Int.random(in: 1...4_194_304, using: &generator)) } }

  var overflow: OverflowRule? { mutating get { one(of: OverflowRule.allCases) } }

  /// What stands in `SUBJECT … on=nats`; without the room, which only some subjects have.
  var nats: SubjectSettings.NATS {
    mutating get {
      SubjectSettings.NATS(
        replicas: maybe(one(of: [1, 3, 5])),
        storage: maybe(one(of: SubjectSettings.NATS.Storage.allCases))
      )
    }
  }

  var settings: SubjectSettings {
    mutating get {
      let flow = one(of: SubjectSettings.Flow.allCases)
      return SubjectSettings(
        kind: one(of: [
          .passthrough, .replay(max(1, count)), .current(Array(#"{"a": [1, "} é"]}"#.utf8)),
        ]),
        flow: flow,
        stall: time,
        rate: flow == .slowest ? maybe(Int.random(in: 1...1_000_000_000, using: &generator)) : nil,
        nats: maybe(nats)
      )
    }
  }

  var delivery: DeliveryFigures {
    mutating get {
      var figures = DeliveryFigures()
      (figures.to, figures.missed, figures.nobody) = (count, count, count)
      return figures
    }
  }

  var figures: FeedFigures {
    mutating get {
      var figures = FeedFigures()
      (figures.sent, figures.missed, figures.refused) = (count, count, count)
      figures.why = maybe(code)
      return figures
    }
  }
}
