import Dispatch
import FlowCore
import FlowRemote
import FlowWire
import Glibc
import Synchronization

/// A command at work for one subscriber, on a thread of its own that waits for pipes and demand.
final class RunningCommand<Downstream: Subscriber>: Subscription, CommandLoop, @unchecked Sendable
where Downstream.Input == [UInt8], Downstream.Failure == RemoteError {
  // `wishes` is locked; `downstream`, `reader` and `input` belong to the thread once it is started.
  private struct Wishes {
    var demand = Subscribers.Demand.none
    var isCancelled = false
    var child: ChildProcess?
  }

  private let wishes = Mutex(Wishes())
  private let wakeUp = WakeUp()
  private let children: Children
  private let remarks: @Sendable ([UInt8]) -> Void
  private var downstream: Downstream?
  private var reader: CommandReader
  private var input: ArraySlice<UInt8>

  init(
    reader: CommandReader,
    input: [UInt8],
    children: Children,
    remarks: @escaping @Sendable ([UInt8]) -> Void,
    subscriber: Downstream
  ) {
    self.reader = reader
    self.input = input[...]
    self.children = children
    self.remarks = remarks
    downstream = subscriber
  }

  // MARK: Any thread

  func request(_ demand: Subscribers.Demand) {
    wishes.withLock { $0.demand += demand }
    wakeUp.signal()
  }

  func cancel() {
    let child = wishes.withLock { wishes in
      wishes.isCancelled = true
      return wishes.child
    }
    child?.signal(SIGTERM)
    wakeUp.signal()
  }

  func start(_ words: [[UInt8]]) {
    let command: any CommandLoop = self
    DispatchQueue(label: "flowclient.command").async { command.run(words) }
  }

  // MARK: The thread

  func run(_ words: [[UInt8]]) {
    guard !words.joined().contains(0) else {
      let text = "the value contains a zero byte, which an argument cannot"
      return finish(.failed(code: ErrorCode.usage.rawValue, text: text))
    }
    let child: ChildProcess
    do throws(ClientError) {
      child = try ChildProcess(words)
    } catch {
      remarks(Array("flowclient: \(error.message)\n".utf8))
      return finish(.failed(code: "exit-127", text: error.message))
    }
    children.add(child)
    let isCancelled = wishes.withLock { wishes in
      wishes.child = child
      return wishes.isCancelled
    }
    if isCancelled { child.signal(SIGTERM) }
    var pipes = CommandPipes(child, wakeUp)
    var failure: RemoteError?
    do throws(CommandReader.LineTooLong) {
      try serve(&pipes)
    } catch {
      child.signal(SIGTERM)
      let text = "a line is longer than \(error.limit) bytes"
      failure = .failed(code: ErrorCode.valueTooLong.rawValue, text: text)
    }
    pipes.closeAll()
    let ending = child.wait()
    wishes.withLock { $0.child = nil }
    children.remove(child)
    finish(failure ?? Self.failure(of: ending, words, reader.lastRemark))
  }

  /// Moves bytes and values until the command has closed its pipes and all are given.
  private func serve(_ pipes: inout CommandPipes) throws(CommandReader.LineTooLong) {
    while pipes.isOpen {
      let isCancelled = wishes.withLock { $0.isCancelled }
      if isCancelled { pipes.closeOutput() }
      let demand = try deliver()
      let wantsOutput = demand > .none && !reader.isReady
      let patience: Int32? = isCancelled ? 5 : nil
      pipes.wait(hasInput: !input.isEmpty, wantsOutput: wantsOutput, patience: patience)
      if pipes.isImpatient { wishes.withLock { $0.child }?.signal(SIGKILL) }
      pipes.write(&input)
      pipes.read(into: &reader, remarks)
    }
    while true {
      _ = try deliver()
      if reader.isThrough || wishes.withLock({ $0.isCancelled }) { return }
      wakeUp.wait()
    }
  }

  /// Delivers lines while there are some and demand for them.
  ///
  /// - Returns: the demand that is left.
  private func deliver() throws(CommandReader.LineTooLong) -> Subscribers.Demand {
    while true {
      let demand = wishes.withLock { $0.isCancelled ? .none : $0.demand }
      guard demand > .none, let line = try reader.next() else { return demand }
      let more = downstream?.receive(line) ?? .none
      wishes.withLock { wishes in
        wishes.demand -= 1
        wishes.demand += more
      }
    }
  }

  private func finish(_ error: RemoteError?) {
    let isCancelled = wishes.withLock { wishes in
      defer { wishes.isCancelled = true }
      return wishes.isCancelled
    }
    let downstream = downstream
    self.downstream = nil
    guard !isCancelled else { return }
    downstream?.receive(completion: error.map { .failure($0) } ?? .finished)
  }

  private static func failure(
    of ending: ChildProcess.Ending,
    _ words: [[UInt8]],
    _ lastRemark: String?
  ) -> RemoteError? {
    let name = String(decoding: words.first ?? [], as: UTF8.self)
    switch ending {
    case .exit(0): return nil
    case .exit(let code):
      return .failed(code: "exit-\(code)", text: lastRemark ?? "\(name) exited with code \(code)")
    case .signal(let number):
      return .failed(
        code: "signal-\(number)",
        text: lastRemark ?? "\(name) was killed by signal \(number)"
      )
    }
  }
}

/// A loop that runs on its own thread.
private protocol CommandLoop: Sendable {
  func run(_ words: [[UInt8]])
}
