import FlowFiles
import FlowTransport
import Glibc

/// Plays the tests of a file one after the other and tells of each as it goes: in a process of its
/// own, so that one that crashes or never ends hides no other.
struct TestPlayer {
  /// The first word of the command line of that process; `flowclient test` alone says it.
  static let verb = "play-tests"

  /// More memory than a test needs, in bytes.
  private static let memory: rlim_t = 2 << 30

  private let file: String
  private let first: Int
  private let surroundings: any Surroundings

  /// Reads the words behind the verb: the number of the first test, and the file.
  init?(_ words: ArraySlice<String>, _ surroundings: any Surroundings) {
    guard words.count == 2, let number = words.first, let first = Int(number), let file = words.last
    else { return nil }
    self.file = file
    self.first = first
    self.surroundings = surroundings
  }

  func run() throws(ClientError) -> ExitCode {
    var limit = rlimit(rlim_cur: Self.memory, rlim_max: Self.memory)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    endWithParent()
    let script = try TextFile.script(file, surroundings)
    for (number, step) in Definitions(script).tests.enumerated() where number >= first {
      surroundings.writeOutput(TestRecord.begun(number).text)
      let report = Self.report(of: step, in: script)
      let record = report.map { TestRecord.failed(number, $0) } ?? .passed(number)
      surroundings.writeOutput(record.text)
    }
    return .done
  }

  /// Plays a test; what is to be said of it if it fails.
  static func report(of step: Script.Step, in script: Script) -> String? {
    guard case .test(let test) = step.statement.kind else { return nil }
    // Fresh definitions: what a test leaves behind is not to reach the next one.
    let outcome = test.play(in: Definitions(script).scene)
    guard let difference = outcome.difference else { return nil }
    let first = "\(step.place): \"\(test.name)\" failed: \(difference)"
    return ([first] + outcome.drawing).map { "\($0)\n" }.joined()
  }

  /// Ends this process when the parent is gone, which closes standard input.
  private func endWithParent() {
    surroundings.platform.run(after: 0) { [surroundings] in
      var byte: UInt8 = 0
      _ = unsafe withUnsafeMutableBytes(of: &byte) { unsafe try? surroundings.readInput(into: $0) }
      _exit(ExitCode.done.rawValue)
    }
  }
}

extension Script.Step {
  var place: String { "\(file.name):\(statement.line.number)" }
}

/// A message of the process that plays tests: a line, followed by a text if the test failed.
enum TestRecord: Equatable {
  case begun(Int)
  case passed(Int)
  case failed(Int, String)

  var text: String {
    switch self {
    case .begun(let number): "begun \(number) 0\n"
    case .passed(let number): "passed \(number) 0\n"
    case .failed(let number, let report): "failed \(number) \(report.utf8.count)\n\(report)"
    }
  }

  /// Removes the first record from `bytes`; `nil` if it is incomplete.
  static func next(in bytes: inout [UInt8]) -> TestRecord? {
    guard let end = bytes.firstIndex(of: 10) else { return nil }
    let words = String(decoding: bytes[..<end], as: UTF8.self).split(separator: " ")
    guard words.count == 3, let number = Int(words[1]), let length = Int(words[2]),
      bytes.count > end + length
    else { return nil }
    let report = String(decoding: bytes[(end + 1)..<(end + 1 + length)], as: UTF8.self)
    bytes.removeFirst(end + 1 + length)
    switch words[0] {
    case "begun": return .begun(number)
    case "passed": return .passed(number)
    default: return .failed(number, report)
    }
  }
}
