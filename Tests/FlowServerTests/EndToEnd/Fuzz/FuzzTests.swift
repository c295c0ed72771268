import Dispatch
import FlowServerSupport
import FlowTestSupport
import FlowWire
import Foundation
import Testing

/// Plays random mutations of conversations.
///
/// `Scripts/explore fuzz SECONDS [SEED]` plays many more.
@Suite("Fuzzing", .serialized)
struct FuzzTests {
  private static let environment = ProcessInfo.processInfo.environment

  /// A fixed number of conversations, so that every machine plays the same.
  @Test("mutated conversations do not harm a server", .timeLimit(.minutes(10)), arguments: 1...3)
  func short(seed: UInt64) throws {
    let server = try TestServer()
    let play = try FuzzPlay(held: server)
    try run(seed: seed) { count in
      count < RandomCases.count(100)
    } check: { input, pieces, place in
      let inPieces = try play.converse(pieces)
      checkLines(inPieces, input, place)
      let atOnce = try play.converse(atOnce: input)
      checkLines(atOnce, input, place)
      checkSame(inPieces, atOnce, input, "\(place): in \(pieces.map(\.count)) bytes and at once")
    }
  }

  @Test(
    "for FLOW_FUZZ_SECONDS",
    .enabled(if: environment["FLOW_FUZZ_SECONDS"] != nil, "started by Scripts/explore fuzz")
  )
  func long() throws {
    let port = try #require(Self.number("PORT").flatMap(UInt16.init(exactly:)))
    let process = Self.number("PID").map(Int.init)
    let play = try FuzzPlay(port: port)
    let end = DispatchTime.now() + Double(Self.number("SECONDS") ?? 60)
    var memory: Int?
    try run(seed: Self.number("SEED") ?? 1) { count in
      if let process, count > 0, count % 2000 == 0 {
        let now = try Self.residentKilobytes(process)
        print("\(count) conversations, \(now) KB")
        if count == 4000 { memory = now }
        #expect(now < (memory ?? now) + 64 << 10, "memory has grown after \(count) conversations")
      }
      return DispatchTime.now() < end
    } check: { input, pieces, place in
      checkLines(try play.converse(pieces), input, place)
    }
  }

  private static func number(_ name: String) -> UInt64? {
    environment["FLOW_FUZZ_" + name].flatMap(UInt64.init)
  }

  /// Plays conversations while `goesOn`, called with their number so far, returns true.
  private func run(
    seed: UInt64,
    while goesOn: (Int) throws -> Bool,
    check: ([UInt8], [ArraySlice<UInt8>], _ place: String) throws -> Void
  ) throws {
    var mutator = Mutator(try Corpus(), seed: seed)
    var count = 0
    while try goesOn(count) {
      let input = mutator.conversation()
      let pieces = mutator.pieces(input)
      count += 1
      let place = "seed \(seed), conversation \(count)"
      // The file keeps the conversation after a crash.
      try? Data(input).write(to: Self.file)
      do {
        try check(input, pieces, place)
      } catch {
        Issue.record("\(place): \(error)\n\(Self.text(input))")
        return
      }
    }
    try? FileManager.default.removeItem(at: Self.file)
    print("seed \(seed): \(count) conversations")
    #expect(count > 0)
  }

  /// Expects the same answers to `input` in pieces and at once.
  ///
  /// If the server postponed something, it depends on processor time and on the kernel how far that
  /// got before the next command, so this expects nothing.
  private func checkSame(
    _ one: FuzzPlay.Outcome,
    _ other: FuzzPlay.Outcome,
    _ input: [UInt8],
    _ place: String
  ) {
    guard one.isWhole, other.isWhole, one.isOfOnePiece, other.isOfOnePiece else { return }
    guard Self.isTheSameInStep(input) else { return }
    let (first, second) = (one.output, other.output)
    #expect(
      first.answers.map(\.text) == second.answers.map(\.text)
        && first.streams == second.streams && first.farewell == second.farewell,
      "\(place)\n\(Self.text(input))"
    )
  }

  private func checkLines(_ outcome: FuzzPlay.Outcome, _ input: [UInt8], _ place: String) {
    let text = Self.text(input)
    // The lines of a TAIL are payloads, so they are not checked.
    if outcome.isWhole, !text.uppercased().contains("TAIL") {
      let output = outcome.output
      #expect(output.nonsense.isEmpty, "\(place)\n\(text)")
      let expected = ExpectedAnswers(input)
      let tags = output.answers.map(\.tag)
      guard expected.isKnown else { return }
      let count = min(tags.count, expected.tags.count)
      #expect(expected.tags.prefix(count) == tags.prefix(count), "\(place)\n\(text)")
      guard !expected.isOpenEnded else { return }
      #expect(tags.count <= expected.tags.count, "\(place)\n\(text)")
      if output.farewell == nil, !text.contains("slowest") {
        #expect(tags.count == expected.tags.count, "\(place)\n\(text)")
      }
    }
  }

  /// Whether the answers depend only on the input, not on the server's turns.
  private static func isTheSameInStep(_ input: [UInt8]) -> Bool {
    let text = String(decoding: input, as: UTF8.self)
    // A client has another number in the next conversation.
    if text.uppercased().contains("KILL") { return false }
    return !["slowest", "$e", "$s"].contains(where: text.contains)
  }

  private static var file: URL {
    FileManager.default.temporaryDirectory
      .appending(path: "flow-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
  }

  private static func text(_ input: [UInt8]) -> String {
    input.prefix(100_000).map { byte in
      switch byte {
      case 10: "\n"
      case 32..<127: String(UnicodeScalar(byte))
      default: "\\x\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
      }
    }.joined()
  }

  private static func residentKilobytes(_ process: Int) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
