import FlowCore
import FlowTestSupport
import Testing

@testable import FlowLanguage

/// Each number at the edge in each place of the tables: nothing may trap, whatever comes of it.
///
/// Made from the tables, so that a new operator, function or argument is tried without anybody's
/// thinking of it.
@Suite("Edge numbers")
struct EdgeNumberTests {
  /// What stands for a closure of an operator: one that ends in a publisher where it has to.
  private static func closure(_ name: String) -> (String) -> String {
    { text in
      let parameters = text.prefix { $0 != "…" }
      switch name {
      case "flatMap", "concatMap", "flatMapLatest", "exhaustMap", "catch": return "{ Just($0) }"
      case "group": return text.contains("group") ? "{ part, key in part.count() }" : "{ $0 }"
      case "window": return "{ $0.count() }"
      case "Deferred": return "{ Just(1) }"
      case "mapError", "timeout": return "{ \"x\" }"
      case "scan", "reduce": return "{ $0 + $1 }"
      case "removeDuplicates", "min", "max": return "{ $0 < $1 }"
      case "filter", "first", "last", "prefix", "drop", "contains", "allSatisfy":
        return "{ $0 > 1 }"
      default: return parameters.contains(",") ? "{ [$0, $1] }" : "{ $0 }"
      }
    }
  }

  private func host() -> TestHost {
    let host = TestHost(subjects: "taps", "sink")
    host.services["resize"] = {
      Just($0).setFailureType(to: PipelineFailure.self).eraseToAnyPublisher()
    }
    return host
  }

  /// Compiles, explains and runs a pipeline for a while; says whether it could be compiled.
  @discardableResult
  private func play(_ text: String) -> Bool {
    let host = host()
    guard let pipeline = try? host.pipeline(text) else { return false }
    _ = pipeline.explanation
    host.counters = StageCounters(count: pipeline.stages.count)
    let recorder = Recorder(host.clock, demand: .max(1))
    pipeline.publisher(in: host).subscribe(recorder)
    for demand in [1, 2, Int.max - 1, 5] {
      host.send("\(demand)", to: "taps")
      if host.isTurnDue { host.turn() }
      recorder.subscription?.request(.max(demand))
      host.clock.show(.init(nanoseconds: host.clock.now.nanoseconds + 7_000_000))
      for _ in 0..<20 where host.clock.runFirstDue() {}
    }
    host.clock.show(.init(nanoseconds: .max))
    for _ in 0..<20 where host.clock.runFirstDue() {}
    if let counters = host.counters { _ = pipeline.figures(ofRun: counters) }
    host.subjects["taps"]?.send(completion: .finished)
    if host.isTurnDue { host.turn() }
    for _ in 0..<20 where host.clock.runFirstDue() {}
    recorder.cancel()
    return true
  }

  private static let stages = OperatorTable.all.filter { $0.role == .stage }
  private static let sources = [
    "taps", "[3, 9223372036854775807, -9223372036854775808].publisher",
    "Just(1).append(Fail(\"no\"))",
  ]

  @Test("in each argument of each operator", arguments: stages.map(\.name))
  func operators(name: String) throws {
    let entry = try #require(OperatorTable.entry(name))
    for form in try SignatureForm.all(
      of: entry.signature,
      name: name,
      closure: Self.closure(name)
    ) {
      let stage = name == "switchToLatest" ? "map { Just($0) }.\(form.usual)" : form.usual
      if name != "autoconnect" {
        #expect(play("taps.\(stage)"), "\(entry.signature): \(form.usual)")
      }
      for edge in form.edges {
        for source in Self.sources.prefix(RandomCases.count(3)) { play("\(source).\(edge)") }
      }
    }
  }

  @Test("in each argument of each source")
  func sources() throws {
    for entry in OperatorTable.all where entry.role == .source && entry.name != "publisher" {
      let forms = try SignatureForm.all(
        of: entry.signature,
        name: entry.name,
        closure: Self.closure(entry.name)
      )
      for form in forms {
        #expect(play(form.usual), "\(form.usual)")
        for edge in form.edges { play(edge) }
      }
    }
    for range in EdgeNumbers.ranges {
      play("(\(range)).publisher")
      play("taps.append(\(range))")
      play("taps.prepend(\(range))")
    }
    for number in EdgeNumbers.all { play("[\(number), 1, \(number)].publisher") }
  }

  @Test("in a backoff, which grows in no time")
  func backoffs() {
    let tooLong: Set = ["9223372036854775807", "1e300"]
    let times = ["0", "1", ".nanoseconds(1)", "2.9e9"] + tooLong.sorted()
    for first in times {
      for last in times {
        for factor in EdgeNumbers.all {
          let backoff = ".exponential(from: \(first), upTo: \(last), factor: \(factor))"
          let isRight = (Int(factor) ?? 0) >= 1 && tooLong.isDisjoint(with: [first, last])
          let isPlayed = play("Fail(\"no\").retry(9223372036854775807, backoff: \(backoff))")
          #expect(isPlayed == isRight, "\(backoff)")
        }
      }
    }
  }

  /// What a value may be that a closure is given.
  private static let payloads =
    EdgeNumbers.all + ["\"a\"", "[1,2,3]", "{\"k\":1}", "null", "[9223372036854775807,-1]"]

  @Test("in each argument of each function", arguments: FunctionTable.names)
  func functions(name: String) throws {
    // These forms need a pattern and arrays.
    let refused = ["text.replacing(/…/) { $0 > 1 }", "zip(1, 1)"]
    let receivers = ["$0", "\"abc\"", "[3, 1, 2]", "[\"k\": 9223372036854775807]"]
    for entry in FunctionTable.all where entry.name == name {
      let forms = try SignatureForm.all(of: entry.signature, name: name) { text in
        text.contains(",") ? "{ $0 < $1 }" : "{ $0 > 1 }"
      }
      for form in forms {
        let before = entry.role == .function ? [""] : receivers.map { "\($0)." }
        let usual = before.count { evaluate("\($0)\(form.usual)") }
        #expect((usual == 0) == refused.contains(form.usual), "\(form.usual)")
        for edge in form.edges {
          for receiver in before { evaluate("\(receiver)\(edge)") }
        }
      }
      guard entry.role == .function else { continue }
      evaluate("\(name)($0)")
      evaluate("\(name)($0, $0)")
    }
  }

  @Test(
    "on each side of each sign",
    arguments: ["+", "-", "*", "/", "%", "<", "==", "...", "..<", "??"]
  )
  func signs(sign: String) {
    for number in EdgeNumbers.all {
      let isNumber = sign.hasPrefix("..") ? Int(number) != nil : evaluate(number)
      #expect(evaluate("$0 \(sign) \(number)") == isNumber, "\(number)")
      #expect(evaluate("\(number) \(sign) $0") == isNumber, "\(number)")
      evaluate("($0 \(sign) \(number)).count")
      evaluate("-$0 \(sign) -(\(number))")
      evaluate("$0 \(sign) \(number) * 2 - 1")
    }
  }

  @Test("as places, indices and parameters")
  func places() {
    let refused = ["$1", "\"abc\"[1]", "[\"k\": 1][1]", "[1: 1]"]
    for number in EdgeNumbers.all {
      for text in [
        "$0[\(number)]", "[1, 2][\(number)]", "[1, 2][$0]", "$0.\(number)", "(1, 2).\(number)",
        "$\(number)", "\"abc\"[\(number)]", "[\"k\": 1][\(number)]", "\"\\(\(number))\"",
        "-(\(number))",
        "$0[$0]", "$0 == \(number) ? 1 : 2", "[\(number): 1]",
      ] {
        let isCompiled = evaluate(text)
        if number == "1" { #expect(isCompiled != refused.contains(text), "\(text)") }
      }
    }
  }

  /// Makes a closure of `text` and gives it each payload, of which it must make JSON or fail.
  ///
  /// In debug it gives each text an eighth of the payloads, others for texts of other lengths.
  ///
  /// - Returns: Whether `text` could be compiled.
  @discardableResult
  private func evaluate(_ text: String) -> Bool {
    guard let closure = try? ValueClosure("{ \(text) }") else { return false }
    let step = RandomCases.step
    for index in stride(from: text.utf8.count % step, to: Self.payloads.count, by: step) {
      let payload = Self.payloads[index]
      guard let result = try? closure(value(payload)).text else { continue }
      if read(Array(result.utf8)) == nil { Issue.record("\(text) of \(payload) is \(result)") }
    }
    return true
  }

  @Test("in JSON, wherever a number is looked at")
  func json() {
    let host = TestHost(subjects: "taps")
    let text =
      "taps.tryMap { [$0.a + 1, $0.a * 2, -$0.a, Int($0.a), round($0.a)] }.replaceError(with: 0)"
    for number in EdgeNumbers.all + [
      "-0", "1e+0", "0e-99999999999999999999", "-1e-9223372036854775809",
    ] {
      guard let recorder = try? host.run(text) else { continue }
      host.send("{\"a\":\(number)}", to: "taps")
      #expect(recorder.values.count == 1)
    }
  }
}
