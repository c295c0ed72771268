import Dispatch
import FlowRemote
import FlowTransport
import FlowWire
import Synchronization

/// Prints what a server says in a conversation: data on standard output, all else on the other one.
///
/// `isWhole` prints everything on standard output as it comes, for a person at a terminal.
final class Transcript: @unchecked Sendable {  // its variables belong to the connection's queue
  private let surroundings: any Surroundings
  private let remarks: Remarks
  private let isWhole: Bool
  private let isColored: Bool
  private let outcome: Outcome
  private var printer: ValuePrinter
  private var worst = ExitCode.done
  private var hadRows = false
  private var explains = false

  init(_ session: ClientSession, isWhole: Bool) {
    surroundings = session.surroundings
    outcome = Outcome(on: session.platform)
    remarks = session.remarks
    isColored = session.isColored
    printer = ValuePrinter(session)
    self.isWhole = isWhole
  }

  func wait() throws(ClientError) -> ExitCode {
    try outcome.wait()?.get() ?? .bug
  }

  /// Gives the lines of standard input to `send`, on a thread of its own, and leaves at their end.
  func readInput(
    _ send: @escaping @Sendable (_ lines: [UInt8], _ taken: @escaping @Sendable () -> Void) -> Void
  ) {
    surroundings.platform.run(after: 0) { [surroundings] in
      let taken = DispatchSemaphore(value: 0)
      var source = LineSource(values: [], of: surroundings)
      var feed = OpenFeed()
      do throws(ClientError) {
        while let chunk = try source.next() {
          unsafe feed.read(chunk.bytes)
          unsafe send(Array(chunk.bytes)) { taken.signal() }
          _ = surroundings.platform.wait(for: taken, until: nil)
        }
        send(Array((feed.isOpen ? ".\nQUIT\n" : "QUIT\n").utf8)) {}
      } catch {
        self.outcome.settle(.failure(error))
      }
    }
  }

  func take(_ event: TypedConversation.Event) {
    switch event {
    case .value(let line, let payload): unsafe take(value: payload, line)
    case .line(let line): take(line)
    case .passed: printer.flush()
    case .ended(let error):
      printer.flush()
      if let error, error.code != "quit" {
        outcome.settle(.failure(ClientError(error)))
      } else {
        outcome.settle(.success(worst))
      }
    }
  }

  private func take(value payload: UnsafeRawBufferPointer, _ line: UnsafeRawBufferPointer) {
    if isWhole { return unsafe printWhole(String(decoding: line, as: UTF8.self)) }
    unsafe printer.print(payload)
  }

  private func take(_ line: String) {
    let start = line.hasPrefix("@") ? line.drop { $0 != " " }.dropFirst() : line[...]
    let word = start.prefix { $0 != " " }
    if word == "ERR" || word == "FAIL" { worst = .no }
    if isWhole { return printWhole(line) }
    printer.flush()
    takeApart(FrameWriter.oneLine(line), word: word)
  }

  /// Data to standard output, remarks to standard error.
  private func takeApart(_ line: String, word: Substring) {
    switch word {
    case "*":
      hadRows = true
      surroundings.writeOutput("\(line.dropFirst(2))\n")
    case "PONG": surroundings.writeOutput("\(line)\n")
    case "ERR", "FAIL":
      explains = true
      surroundings.writeError("\(line)\n")
    case "#":
      if explains { surroundings.writeError("\(line.dropFirst(2))\n") }
    case "HI": remarks.detail(line)
    case "OK":
      explains = false
      if line == "OK quit" || hadRows { remarks.detail(line) } else { remarks.note(line) }
      hadRows = false
    case "BYE": remarks.detail(line)
    default: remarks.note(line)
    }
  }

  private func printWhole(_ line: String) {
    var output: [UInt8] = []
    let color = isColored ? Self.color(of: line) : nil
    if let color { output += Array("\u{1b}[\(color)m".utf8) }
    var line = line
    line.withUTF8 { unsafe ValueFormat.appendVisibly(UnsafeRawBufferPointer($0), to: &output) }
    if color != nil { output += Array("\u{1b}[0m".utf8) }
    output.append(10)
    unsafe output.withUnsafeBytes(surroundings.writeOutput)
  }

  private static func color(of line: String) -> Int? {
    if line.hasPrefix("ERR") || line.hasPrefix("FAIL") || line.hasPrefix("BYE") { return 31 }
    return line.hasPrefix("#") ? 2 : nil
  }
}
