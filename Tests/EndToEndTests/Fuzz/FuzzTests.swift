import Dispatch
import FlowCore
import FlowTestSupport
import FlowWire
import Foundation
import Testing

/// Conversations made of others by accident.
///
/// `Scripts/fuzz SECONDS [SEED]` plays many more.
@Suite("Fuzzing", .serialized)
struct FuzzTests {
  private static let environment = ProcessInfo.processInfo.environment

  @Test("nothing that is said harms a server", .timeLimit(.minutes(10)), arguments: 1...3)
  func short(seed: UInt64) throws {
    let clock = VirtualTimeScheduler()
    let server = try LiveServer(clock: clock)
    var seconds = 0.0
    let play = try FuzzPlay(port: server.port) {
      seconds += $0
      server.advance(toSecond: seconds)
    }
    try run(play, seed: seed, seconds: 3, isInStep: true)
  }

  @Test(
    "for as long as one wants",
    .enabled(if: environment["FLOW_FUZZ_SECONDS"] != nil, "by Scripts/fuzz")
  )
  func long() throws {
    func number(_ name: String) -> UInt64? {
      Self.environment["FLOW_FUZZ_" + name].flatMap(UInt64.init)
    }
    let port = try #require(number("PORT").flatMap(UInt16.init(exactly:)))
    let play = try FuzzPlay(port: port, advance: nil)
    try run(
      play,
      seed: number("SEED") ?? 1,
      seconds: Double(number("SECONDS") ?? 60),
      process: number("PID").map(Int.init)
    )
  }

  /// Plays for so long; `isInStep` says that a conversation comes out the same each time.
  private func run(
    _ play: FuzzPlay,
    seed: UInt64,
    seconds: Double,
    isInStep: Bool = false,
    process: Int? = nil
  ) throws {
    var mutator = Mutator(try Corpus(), seed: seed)
    let end = DispatchTime.now() + seconds
    var count = 0
    var memory: Int?
    while DispatchTime.now() < end {
      let input = mutator.conversation()
      let pieces = mutator.pieces(input)
      count += 1
      let place = "seed \(seed), conversation \(count)"
      // After a crash it is still there.
      try? Data(input).write(to: Self.file)
      do {
        try check(input, pieces, play, isInStep: isInStep, place)
      } catch {
        Issue.record("\(place): \(error)\n\(Self.text(input))")
        return
      }
      guard let process, count % 2000 == 0 else { continue }
      let now = try Self.residentKilobytes(process)
      print("\(count) conversations, \(now) KB")
      if count == 4000 { memory = now }
      #expect(now < (memory ?? now) + 64 << 10, "\(place): memory grows")
    }
    try? FileManager.default.removeItem(at: Self.file)
    print("seed \(seed): \(count) conversations")
    #expect(count > 0)
  }

  private func check(
    _ input: [UInt8],
    _ pieces: [ArraySlice<UInt8>],
    _ play: FuzzPlay,
    isInStep: Bool,
    _ place: String
  ) throws {
    let inPieces = try play.converse(pieces)
    checkLines(inPieces, input, place)
    guard isInStep, inPieces.isWhole, Self.isTheSameInStep(input) else { return }
    let atOnce = try play.converse([input[...]])
    let (first, second) = (inPieces.output, atOnce.output)
    guard atOnce.isWhole else { return }
    #expect(
      first.answers.map(\.text) == second.answers.map(\.text)
        && first.streams == second.streams && first.farewell == second.farewell,
      "\(place): in \(pieces.map(\.count)) octets and at once\n\(Self.text(input))"
    )
  }

  private func checkLines(_ outcome: FuzzPlay.Outcome, _ input: [UInt8], _ place: String) {
    let text = Self.text(input)
    // A TAIL's lines are payloads.
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

  /// Whether what comes of it depends on the order of the input only.
  private static func isTheSameInStep(_ input: [UInt8]) -> Bool {
    let text = String(decoding: input, as: UTF8.self)
    return !["slowest", "$e", "$s", "000000", "999999"].contains(where: text.contains)
  }

  private static var file: URL {
    FileManager.default.temporaryDirectory
      .appending(path: "flow-fuzz-\(ProcessInfo.processInfo.processIdentifier)")
  }

  private static func text(_ input: [UInt8]) -> String {
    input.prefix(100_000).map { octet in
      switch octet {
      case 10: "\n"
      case 32..<127: String(UnicodeScalar(octet))
      default: "\\x\(octet < 16 ? "0" : "")\(String(octet, radix: 16))"
      }
    }.joined()
  }

  private static func residentKilobytes(_ process: Int) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
