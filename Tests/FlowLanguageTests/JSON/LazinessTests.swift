import FlowCore
import FlowTestSupport
import Testing

@testable import FlowLanguage

@Suite("Only what is looked into is decoded")
struct LazinessTests {
  /// How often bytes are looked into while `payloads` go through `text`.
  private func lookups(_ text: String, _ payloads: [String]) throws -> Int {
    let counter = Decoding.Counter()
    let host = TestHost(subjects: "taps", "other")
    try Decoding.counted(by: counter) {
      let recorder = try host.run(text)
      for payload in payloads { host.send(payload, to: "taps") }
      host.wait(until: 10)
      #expect(recorder.failure == nil)
      #expect(recorder.values.count == payloads.count)
    }
    return counter.count
  }

  @Test(
    "stages that do not look inside decode nothing",
    arguments: [
      "taps", "taps.buffer(size: 9, prefetch: .keepFull, whenFull: .dropOldest)",
      "taps.delay(for: 1)", "taps.flatMap { Just($0) }", "taps.merge(with: other)",
      "taps.map { $0 }", "taps.map { let all = $0; all }", "taps.share()", "taps.prefix(9)",
      "taps.scan(0) { $1 }", "taps.filter { 1 > 0 }", "taps.map { $0 ?? 0 }", "taps.retry(2)",
      "taps.map { true ? $0 : 0 }",
    ]
  )
  func untouched(text: String) throws {
    #expect(try lookups(text, ["{\"a\":1}", "x", "[1,2]"]) == 0)
  }

  @Test(
    "a closure looks once for each member, or decodes all where it asks for many",
    arguments: [
      ("taps.map { $0.a }", 1), ("taps.map { $0.a + $0.b }", 2),
      ("taps.map { $0.a + $0.a + $0.a + $0.a + $0.b }", 1), ("taps.map { $0.c.d.e }", 1),
      ("taps.filter { $0.a > 0 }.map { $0.a }", 2), ("taps.map { [\"id\": $0.a] }", 1),
    ]
  )
  func looked(text: String, count: Int) throws {
    #expect(try lookups(text, ["{\"a\":1,\"b\":2,\"c\":{\"d\":{\"e\":3}}}"]) == count)
  }

  @Test(
    "what passes through a closure keeps its spelling and its order",
    arguments: [
      (#"{"a": 1.50, "b": 2}"#, "$0.a", "1.50"),
      (#"{"a": 12345678901234567890123}"#, "$0.a", "12345678901234567890123"),
      (#"{"a": 12345678901234567890123}"#, "$0.a + 1", "1.2345678901234568e+22"),
      (#"{"a": 1.50}"#, "$0.a * 2", "3.0"), (#"{"a": 1e2}"#, #"["a": $0.a]"#, #"{"a":1e2}"#),
      (#"{"a": 1e2}"#, "$0.a ?? 0", "1e2"), (#"{"a": 1e2}"#, "$0.a > 1 ? $0.a : 0", "1e2"),
      (#"{"a": {"z": 1.0, "y": [ 1e1, "a b" ]} }"#, "$0.a", #"{"z":1.0,"y":[1e1,"a b"]}"#),
      (#"{"a": {"z": 1.0, "y": [ 1e1, "\" " ]} }"#, "[$0.a.y]", #"[[1e1,"\" "]]"#),
      (#"{"b": 1.0, "a": -0}"#, "let looked = $0.keys; $0", #"{"b":1.0,"a":-0}"#),
      (#"[1.0, 2.50]"#, "$0.map { $0 }", "[1.0,2.50]"),
      (#"{"a":[3.10,1.0]}"#, "$0.a.sorted()", "[1.0,3.10]"),
    ] as [(String, String, String)]
  )
  func spelling(payload: String, body: String, expected: String) throws {
    #expect(try ValueClosure("{ \(body) }")(value(payload)).text == expected)
  }

  @Test("a member is found in the bytes as it is in the tree, in two thousand spoilt texts")
  func agreement() throws {
    let texts = [
      #"{"a":1,"b":{"c":[1,2,{"d":"x"}]},"longer than eight":"\u00e9\n","a":2.50}"#,
      #" { "b" : { "c" : 1 , "c" : { "d" : null } } , "count" : "é" } "#,
      #"{"\u0061":[],"b":{"\u0063":true},"":{"":0}}"#, #"[{"a":1}]"#, #""a""#, "12",
    ]
    let paths = ["a", "b", "b.c", "b.c.d", "count", "b.count", "missing", "a.isEmpty", "keys"]
    var dice = Dice(state: 3)
    for round in 0..<RandomCases.count(2000) {
      var bytes = Array(texts[round % texts.count].utf8)
      for _ in 0..<Int.random(in: 0...2, using: &dice) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &dice)
        switch Int.random(in: 0...2, using: &dice) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = bytes.randomElement(using: &dice) ?? 0
        default: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: place)
        }
      }
      let raw = bytes.withUnsafeBytes { Value(bytes: $0) }
      for path in paths {
        let closure = try ValueClosure("{ $0.\(path) }")
        let (scanned, decoded) = (outcome(closure, raw), outcome(closure, raw.decoded))
        #expect(scanned == decoded, "\(path) of \(raw)")
      }
    }
  }

  private func outcome(_ closure: ValueClosure, _ value: Value) -> String {
    do throws(PipelineFailure) {
      return try closure(value).decoded.withBytes {
        String(decoding: $0, as: UTF8.self)
      }
    } catch {
      return error.message.reason
    }
  }
}

extension String {
  /// What stands before the value in a message.
  fileprivate var reason: String { String(prefix { $0 != ";" }) }
}
