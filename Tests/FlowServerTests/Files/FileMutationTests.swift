import FlowFiles
import FlowLanguage
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Spoilt files: the check, the server and the wire agree")
struct FileMutationTests {
  /// The same numbers on every run.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  private static let shop = """
    # a shop
    SUBJECT orders flow=slowest
    SUBJECT returns
    subject revenue current 0 stall=5s
    SUBJECT log-book replay 100
    PIPELINE dear = orders
      .filter { $0.price > 100 }
      .map { order in   # only these
        order.price * 2
      }
    PIPELINE both = dear.merge(with: returns)
    PIPELINE alias = both
    RUN totals = dear.scan(0) { $0 + $1 }.assign(to: revenue)
    RUN book = revenue.map { "now \\($0)" }
      .subscribe(log-book)
    """

  private func spoil(_ text: String, _ dice: inout Dice) -> String {
    var lines = text.split(separator: "\n").map(String.init)
    let scraps =
      Array("(){}[].,:\"\\$0 =-#abcde\n'") + ["dear", "both", " orders", "RUN x", "in "].joined()
    for _ in 0..<Int.random(in: 1..<4, using: &dice) {
      let number = Int.random(in: lines.indices, using: &dice)
      var line = Array(lines[number])
      let place = Int.random(in: 0...line.count, using: &dice)
      switch Int.random(in: 0..<6, using: &dice) {
      case 0: line.insert(scraps.randomElement(using: &dice) ?? " ", at: place)
      case 1: line.removeSubrange(place..<min(place + 2, line.count))
      case 2: line.insert(contentsOf: line.prefix(place).suffix(7), at: place)
      case 3: lines.swapAt(number, Int.random(in: lines.indices, using: &dice))
      case 4: lines.insert(lines.randomElement(using: &dice) ?? "", at: number)
      default: break
      }
      if lines.indices.contains(number), place % 6 < 3 { lines[number] = String(line) }
    }
    return lines.joined(separator: "\n")
  }

  @Test("mutated files")
  func agreement() throws {
    var dice = Dice(state: 4711)
    let server = try TestServer()
    let client = try server.connect()
    var accepted = 0
    let count = RandomCases.count(600)
    for _ in 0..<count {
      let text = spoil(Self.shop, &dice)
      let definitions = Definitions(Script(text, name: "shop.flow"))
      let starts = (try? Server().load(text, file: "shop.flow")) != nil
      #expect(starts == definitions.errors.isEmpty, "\(text)\n\(definitions.errors)")
      accepted += starts ? 1 : 0
      if let wire = try runOnTheWire(definitions.script, client) {
        #expect(wire == starts, "\(text)\n\(definitions.errors)")
      }
      for error in definitions.errors {
        #expect(error.place.column >= 1 && error.place.column <= error.line.count + 1, "\(error)")
      }
    }
    #expect(accepted > count / 10 && accepted < count * 9 / 10, "\(accepted)")
  }

  private static let main = """
    include parts/names.flow
    set value-limit 64KiB   # bytes
    set stall 5s
    # rate orders 50/s
    PIPELINE dear = orders
      .filter { $0.price > 100 }
    include ./parts/../parts/names.flow
    RUN totals = dear.map { $0.price }.scan(0) { $0 + $1 }.assign(to: revenue)
    PIPELINE zones = orders.flatMap { ask(create-zone, $0) }
    test "dear ones" tick 100ms
        orders             '{"price":150}''{"price":2}'-|
        dear ⇠             -1-
        serve create-zone  { Just("zone \\($0)").delay(for: 1) }
        create-zone        12--
        zones              -[ab]^
        dear ⇣             1
        totals             --
    """

  private static let names = """
    SUBJECT orders
    subject revenue replay 10
    set grant 100
    include more.flow
    """

  @Test("mutated files with includes, settings and tests")
  func agreementOfWholeFiles() throws {
    var dice = Dice(state: 815)
    var accepted = 0
    let count = RandomCases.count(400)
    for _ in 0..<count {
      let isMain = Bool.random(using: &dice)
      let texts = [
        "shop.flow": isMain ? spoil(Self.main, &dice) : Self.main,
        "parts/names.flow": isMain ? Self.names : spoil(Self.names, &dice),
        "parts/more.flow": "SUBJECT more",
      ]
      let read = { (path: String) throws(NoFile) in
        guard let text = texts[path] else { throw NoFile(path: path) }
        return text
      }
      let definitions = Definitions(try Script(["shop.flow"], read: read))
      let starts = (try? Server().load(["shop.flow"], read: read)) != nil
      #expect(starts == definitions.errors.isEmpty, "\(texts)\n\(definitions.errors)")
      accepted += starts ? 1 : 0
      for error in definitions.errors {
        #expect(error.place.column >= 1 && error.place.column <= error.line.count + 1, "\(error)")
        #expect(texts[error.place.file] != nil)
      }
      _ = Lint.warnings(of: definitions)
      #expect(Graph(definitions).lines(.dot).count >= 3)
      for file in definitions.script.files where file.findings.isEmpty {
        let formatted = file.formatted
        #expect(FlowFile(formatted, name: "x").formatted == formatted, "\(texts)")
      }
      // What is right can be played, and is right when it is laid out anew.
      guard starts else { continue }
      for step in definitions.tests {
        guard case .test(let test) = step.statement.kind else { continue }
        let outcome = test.play(in: Definitions(definitions.script).scene)
        #expect(outcome.drawing.count >= test.rows.count)
      }
      let again = { (path: String) throws(NoFile) in FlowFile(try read(path), name: path).formatted
      }
      let laidOut = Definitions(try Script(["shop.flow"], read: again))
      #expect(laidOut.errors.isEmpty, "\(texts)\n\(laidOut.errors)")
    }
    #expect(accepted > count / 10 && accepted < count * 9 / 10, "\(accepted)")
  }

  private struct NoFile: Error {
    let path: String
  }

  /// Whether a client can write the same lines; `nil` if they are not all lines of the wire.
  private func runOnTheWire(_ script: Script, _ client: TestClient) throws -> Bool? {
    guard script.findings.isEmpty,
      script.steps.allSatisfy({ step in
        let word = step.statement.line.text.prefix { $0 != " " }.uppercased()
        return ["SUBJECT", "PIPELINE", "RUN"].contains(word)
      })
    else { return nil }
    var isAccepted = true
    for step in script.steps {
      let answer = try client.ask("@1 " + step.statement.line.text)
      if answer.hasPrefix("@1 ERR") { isAccepted = false }
    }
    _ = try client.linesSoFar()
    try client.say("LIST")
    var names: [String] = []
    for line in try client.rest(until: { $0.hasPrefix("OK list") }).dropLast() {
      let words = line.split(separator: " ")
      if words.count > 2 { names.append(String(words[2])) }
    }
    for name in names.reversed() { try client.say("DELETE \(name)") }
    _ = try client.linesSoFar()
    return isAccepted
  }
}
