import Dispatch
import FlowCore
import FlowRemote
import Glibc
import Synchronization

/// Publishes the lines that a command writes; an exit code other than 0 is a failure.
///
/// The command gets `argument` in place of each `{}` and as a line of standard input. Its output is
/// read no faster than demand arrives, so the full pipe blocks it.
struct CommandPublisher: Publisher, Sendable {
  typealias Output = [UInt8]
  typealias Failure = RemoteError

  let words: [String]
  let argument: [UInt8]
  let largestValue: Int
  let children: Children
  /// Called with the command's standard error.
  let remarks: @Sendable ([UInt8]) -> Void

  func receive<S: Subscriber>(subscriber: S) where S.Input == [UInt8], S.Failure == RemoteError {
    let running = RunningCommand(
      reader: CommandReader(largestLine: largestValue),
      input: argument + [UInt8(ascii: "\n")],
      children: children,
      remarks: remarks,
      subscriber: subscriber
    )
    subscriber.receive(subscription: running)
    running.start(Self.fill(words, with: argument))
  }

  /// Replaces each `{}` in `words` with `argument`.
  static func fill(_ words: [String], with argument: [UInt8]) -> [[UInt8]] {
    words.map { word in
      let parts = word.split(separator: "{}", omittingEmptySubsequences: false)
      return Array(parts.map { Array($0.utf8) }.joined(separator: argument))
    }
  }
}

/// The running processes, none of which must outlive the program.
final class Children: Sendable {
  private let running = Mutex<[ObjectIdentifier: ChildProcess]>([:])

  func add(_ child: ChildProcess) {
    running.withLock { $0[ObjectIdentifier(child)] = child }
  }

  func remove(_ child: ChildProcess) {
    running.withLock { $0[ObjectIdentifier(child)] = nil }
  }

  func terminate() {
    for child in running.withLock({ Array($0.values) }) { child.signal(SIGTERM) }
  }
}
