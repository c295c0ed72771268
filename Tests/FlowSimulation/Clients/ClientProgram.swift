import Dispatch
import FlowTransport
import Glibc
import flowclient

/// A run of the program `flowclient`, from its command line to its exit code.
///
/// What it is told on standard input is there from the beginning; it cannot be a terminal.
///
/// Unchecked: used by the world's strands only, one at a time.
final class ClientProgram: Surroundings, @unchecked Sendable {
  let line: String
  /// How it has ended, once it has: the code, or 128 and the number of the signal.
  private(set) var exit: Int32?
  private(set) var interruptions = 0
  private(set) var output: [UInt8] = []
  /// Called with each whole line that it writes.
  var wrote: (_ line: String, _ isError: Bool) -> Void = { _, _ in }
  var ended: () -> Void = {}

  private let world: World
  private let owner = Strand.Owner()
  private var input: ArraySlice<UInt8>
  private var errors: [UInt8] = []
  private var handlers: [Int32: @Sendable () -> Void] = [:]

  init(_ line: String, input: [UInt8], _ world: World) {
    self.line = line
    self.input = input[...]
    self.world = world
  }

  func start(_ words: [String]) {
    let executor = ProgramExecutor(world, owner)
    self.executor = executor
    Task(executorPreference: executor) { [self] in
      let code = await Program.run(words, in: self).rawValue
      if exit == nil { exit = code }
      handlers = [:]
      ended()
    }
  }

  /// Whether a signal such as SIGINT has it end in its own way.
  func interrupt() {
    guard exit == nil else { return }
    interruptions += 1
    guard let act = handlers[SIGINT] else { return end(by: SIGINT) }
    world.run(in: owner, after: 1_000) { act() }
  }

  // MARK: Surroundings

  var platform: any Platform { world }
  private(set) var executor: (any TaskExecutor)?

  func environment(_ name: String) -> String? {
    name == "FLOW_TOKEN" ? ServerProcess.password : nil
  }

  let inputIsTerminal = false
  let outputIsTerminal = false
  let errorIsTerminal = false

  func writeOutput(_ bytes: UnsafeRawBufferPointer) {
    output += bytes
    // Whoever reads it is slow at times.
    if world.dice.chance(5) { world.run(for: UInt64(world.dice.size(upTo: 2_000_000_000))) }
    tell(&output, isError: false)
  }

  func writeError(_ bytes: UnsafeRawBufferPointer) {
    errors += bytes
    tell(&errors, isError: true)
  }

  private func tell(_ bytes: inout [UInt8], isError: Bool) {
    guard exit == nil else { return }
    while let end = bytes.firstIndex(of: 10) {
      let line = String(decoding: bytes[..<end], as: UTF8.self)
      bytes.removeSubrange(...end)
      wrote(line, isError)
    }
  }

  func readInput(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if !input.isEmpty { world.run(for: UInt64(world.dice.size(upTo: 500_000_000))) }
    let piece = input.prefix(min(buffer.count, world.dice.size(upTo: 4096)))
    buffer.copyBytes(from: piece)
    input = input.dropFirst(piece.count)
    return piece.count
  }

  func endWhenOutputBreaks() {}

  func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void) -> Any? {
    handlers[number] = act
    return self
  }

  func end(by number: Int32) {
    if exit == nil { exit = 128 + number }
    world.kill(owner)
  }
}

/// Runs the tasks of a program on strands of the world.
///
/// Unchecked: see `World`.
private final class ProgramExecutor: TaskExecutor, @unchecked Sendable {
  private let world: World
  private let owner: Strand.Owner

  init(_ world: World, _ owner: Strand.Owner) {
    self.world = world
    self.owner = owner
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    world.run(in: owner, after: 1_000) { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
