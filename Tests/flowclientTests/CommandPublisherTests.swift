import FlowCore
import FlowRemote
import FlowTestSupport
import Glibc
import Testing

@testable import flowclient

@Suite("a command as a publisher")
struct CommandPublisherTests {
  private typealias Reader = AwaitedSubscriber<[UInt8], RemoteError>

  private let children = Children()
  private let remarks = Arrivals<String>()

  init() { signal(SIGPIPE, SIG_IGN) }

  private func command(
    _ words: String...,
    argument: String = "",
    largestValue: Int = 1_048_576
  ) -> CommandPublisher {
    CommandPublisher(
      words: words,
      argument: Array(argument.utf8),
      largestValue: largestValue,
      children: children,
      remarks: { [remarks] in remarks.add(String(decoding: $0, as: UTF8.self)) }
    )
  }

  private func texts(_ reader: Reader) -> [String] {
    reader.values.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("its lines are values; a last one needs no end, and a CR before the end belongs to it")
  func lines() {
    let reader = Reader(first: .unlimited)
    command("printf", #"1\n\n2\r\n\r\n3\r"#).subscribe(reader)
    #expect(reader.waitForCompletion() == .finished)
    #expect(texts(reader) == ["1", "", "2\r", "\r", "3\r"])
  }

  @Test("it gets the value in place of {} and as a line of its input")
  func argument() {
    let reader = Reader(first: .unlimited)
    command("sh", "-c", #"read x; echo "$0" "$1" "$x""#, "{}", "<{}{}>", argument: "a  b ö")
      .subscribe(reader)
    #expect(reader.waitForCompletion() == .finished)
    #expect(texts(reader) == ["a  b ö <a  b öa  b ö> a  b ö"])
  }

  @Test("it does not get ahead of demand by more than its pipe and one chunk")
  func demand() {
    let reader = Reader(first: .max(2))
    command("sh", "-c", "seq 100000; echo written >&2").subscribe(reader)
    #expect(reader.wait(for: 2).count == 2)
    reader.request(.max(3))
    #expect(reader.wait(for: 5).count == 5)
    #expect(remarks.all.isEmpty)
    reader.request(.unlimited)
    #expect(reader.waitForCompletion() == .finished)
    #expect(texts(reader) == (1...100000).map(String.init))
    #expect(remarks.all == ["written\n"])
  }

  @Test("its end needs no demand, if nothing is left to be asked for")
  func endWithoutDemand() {
    let reader = Reader()
    command("true", argument: String(repeating: "x", count: 1_000_000)).subscribe(reader)
    #expect(reader.waitForCompletion() == .finished)
    let full = Reader(first: .max(2))
    command("seq", "2").subscribe(full)
    #expect(full.waitForCompletion() == .finished)
  }

  @Test("what it wrote is given before its end is, as it is asked for")
  func rest() {
    let reader = Reader(first: .max(1))
    command("sh", "-c", "seq 3; exit 4").subscribe(reader)
    #expect(reader.wait(for: 1).count == 1)
    #expect(reader.completion == nil)
    reader.request(.max(2))
    #expect(reader.waitForCompletion()?.failure?.code == "exit-4")
    #expect(texts(reader) == ["1", "2", "3"])
  }

  @Test(
    "another end than 0 is a failure with the last words",
    arguments: [
      ("echo one; echo a >&2; echo 'b c' >&2; echo >&2; exit 3", "exit-3", "b c"),
      ("exit 5", "exit-5", "sh exited with code 5"),
      ("kill -9 $$", "signal-9", "sh was killed by signal 9"),
    ]
  )
  func failure(_ script: String, _ code: String, _ text: String) {
    let reader = Reader(first: .unlimited)
    command("sh", "-c", script).subscribe(reader)
    #expect(reader.waitForCompletion() == .failure(.failed(code: code, text: text)))
  }

  @Test("a command that is not there, or a value that is no word, is a failure")
  func cannotRun() {
    let reader = Reader(first: .unlimited)
    command("/nonexistent/command").subscribe(reader)
    let text = "cannot run /nonexistent/command: no such file or directory"
    #expect(reader.waitForCompletion() == .failure(.failed(code: "exit-127", text: text)))
    let other = Reader(first: .unlimited)
    command("echo", "{}", argument: "a\0b").subscribe(other)
    #expect(other.waitForCompletion()?.failure?.code == "usage")
  }

  @Test("a line that is no value ends it")
  func longLine() {
    let reader = Reader(first: .unlimited)
    let script = "echo 12345; echo 123456; exec sleep 1000"
    command("sh", "-c", script, largestValue: 5).subscribe(reader)
    #expect(reader.waitForCompletion()?.failure?.code == "value-too-long")
    #expect(texts(reader) == ["12345"])
  }

  @Test("cancelling ends it and what it started")
  func cancel() {
    let reader = Reader(first: .unlimited)
    let script = "trap 'echo ended >&2; exit' TERM; sleep 1000 & echo ready; wait"
    command("sh", "-c", script).subscribe(reader)
    #expect(reader.wait(for: 1).count == 1)
    reader.cancel()
    #expect(remarks.wait() == ["ended\n"])
    #expect(reader.completion == nil)
  }

  @Test("when the program goes, what runs is ended")
  func terminate() {
    let reader = Reader(first: .unlimited)
    // A child that a shell forks just as the signal comes would not get it.
    command("sh", "-c", "echo ready; exec sleep 1000").subscribe(reader)
    #expect(reader.wait(for: 1).count == 1)
    children.terminate()
    #expect(reader.waitForCompletion()?.failure?.code == "signal-15")
  }
}

extension Subscribers.Completion {
  var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
