import Dispatch
import Foundation
import Synchronization

/// A running program of the package, as a shell has it.
final class RunningProgram: @unchecked Sendable {  // `collected` is guarded, the rest is constant
  struct Outcome: Equatable {
    var output: String
    var remarks: String
    /// The exit code, or the number of the signal that ended it plus 128.
    var status: Int32
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let remarks = Pipe()
  private let collected = Mutex((output: Data(), remarks: Data()))
  private let changed = DispatchSemaphore(value: 0)
  private let finished = DispatchGroup()

  /// The folder that the package's programs are built into, beside the tests.
  static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  init(_ name: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    signal(SIGPIPE, SIG_IGN)
    process.executableURL = Self.folder.appendingPathComponent(name)
    process.arguments = arguments
    process.environment = environment
    process.standardInput = input
    process.standardOutput = output
    process.standardError = remarks
    collect(output) { $0.output.append($1) }
    collect(remarks) { $0.remarks.append($1) }
    finished.enter()
    process.terminationHandler = { [finished] _ in finished.leave() }
    try process.run()
  }

  private func collect(
    _ pipe: Pipe,
    _ add: @escaping @Sendable (inout (output: Data, remarks: Data), Data) -> Void
  ) {
    finished.enter()
    pipe.fileHandleForReading.readabilityHandler = { [self] handle in
      let data = handle.availableData
      if data.isEmpty {
        handle.readabilityHandler = nil
        finished.leave()
      } else {
        collected.withLock { add(&$0, data) }
      }
      changed.signal()
    }
  }

  func type(_ text: String) {
    try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
  }

  func endInput() {
    try? input.fileHandleForWriting.close()
  }

  /// Goes away as the reader of its output.
  func closeOutput() {
    output.fileHandleForReading.readabilityHandler = nil
    try? output.fileHandleForReading.close()
    finished.leave()
  }

  func kill(_ number: Int32) {
    Foundation.kill(process.processIdentifier, number)
  }

  /// Waits until the output has `count` lines, at most 20 seconds.
  func waitForOutput(lines count: Int) -> [String] {
    wait { $0.output.count >= count }.output
  }

  /// Waits until standard error has `count` lines, at most 20 seconds.
  func waitForRemarks(lines count: Int) -> [String] {
    wait { $0.remarks.count >= count }.remarks
  }

  private typealias Lines = (output: [String], remarks: [String])

  private func wait(until isEnough: (Lines) -> Bool) -> Lines {
    let deadline = DispatchTime.now() + .seconds(20)
    while !isEnough(lines), changed.wait(timeout: deadline) == .success {}
    return lines
  }

  private var lines: Lines {
    let (output, remarks) = collected.withLock { $0 }
    func split(_ data: Data) -> [String] {
      String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
    return (split(output), split(remarks))
  }

  /// Ends its input and waits for its end, at most a minute.
  func finish() -> Outcome {
    endInput()
    return waitForEnd()
  }

  func waitForEnd() -> Outcome {
    if finished.wait(timeout: .now() + .seconds(60)) != .success { process.terminate() }
    let (output, remarks) = collected.withLock { $0 }
    let isSignal = process.terminationReason == .uncaughtSignal
    return Outcome(
      output: String(decoding: output, as: UTF8.self),
      remarks: String(decoding: remarks, as: UTF8.self),
      status: process.terminationStatus + (isSignal ? 128 : 0)
    )
  }
}
