import FlowCore
import FlowFiles
import FlowLanguage
import FlowRemote
import FlowTransport
import FlowWire

/// Prints the values of a subscription, or those that pass a name: `sub EXPR`, `tap NAME`.
struct Subscribing {
  private static let usualWindow: UInt64 = 16_384
  /// The window of a durable subscription: printed values that are not acknowledged come again.
  private static let durableWindow: UInt64 = 1024

  let request: SubscribeRequest
  let session: ClientSession

  func run() async throws(ClientError) -> ExitCode {
    // The demand that is written behind it is nothing that anybody has typed.
    if request.tap == nil, !Expression.isWhole(request.expression) {
      do throws(ClientError) {
        _ = try FreeExpression(checking: request.expression)
      } catch {
        // As if the server had said so.
        throw ClientError(.no, error.message, advice: error.advice)
      }
    }
    let timeout = request.timeout.map(session.platform.moment)
    let length = request.length.map(session.platform.moment)
    let remote = try await session.connect()
    defer { remote.close() }
    let keyboard = request.isManual ? Keyboard(session.surroundings) : nil
    defer { keyboard?.close() }
    let reader = ValueReader(
      plan: DemandPlan(window: window, limit: request.count),
      delay: request.delay,
      session: session,
      showsStatus: request.isManual
    )
    let signals = EndingSignals(of: session.surroundings) { reader.stop(on: remote) }
    session.surroundings.endWhenOutputBreaks()
    reader.start(on: remote, expression: request.expression, tap: request.tap, durable: durable)
    keyboard?.start { key in Self.act(on: key, reader, remote) }
    let result: ExitCode
    do {
      result = try wait(for: reader, remote, timeout: timeout, length: length)
    } catch {
      keyboard?.close()
      report(reader)
      throw error
    }
    keyboard?.close()
    report(reader)
    if let number = signals.received { session.surroundings.end(by: number) }
    return result
  }

  private var durable: ValueReader.Durable? {
    guard let name = request.durable else { return nil }
    guard case .upTo(let window) = request.window else {
      return ValueReader.Durable(name: name, window: Self.durableWindow)
    }
    return ValueReader.Durable(name: name, window: window)
  }

  /// The demand that is kept ahead of what is printed.
  private var window: DemandPlan.Window {
    if request.isManual { return .byHand }
    switch request.window {
    case .unlimited: return .unlimited
    case .upTo(let window): return .upTo(window)
    case nil where request.delay != nil: return .upTo(1)
    case nil: return durable.map { .upTo($0.window) } ?? .atLeast(Self.usualWindow)
    }
  }

  private func wait(
    for reader: ValueReader,
    _ remote: FlowRemote,
    timeout: UInt64?,
    length: UInt64?
  ) throws(ClientError) -> ExitCode {
    if let length, length <= timeout ?? .max {
      if let result = result(of: reader, remote, until: length) { return try result.get() }
      // A standard output that nobody reads can keep the stream from its end.
      reader.stop(on: remote)
      return try reader.outcome.wait(until: session.platform.moment(after: .seconds(1)))?.get()
        ?? .done
    }
    if let result = result(of: reader, remote, until: timeout) { return try result.get() }
    throw ClientError(.timeout, "timed out")
  }

  /// Waits for the end; meanwhile says why no values come.
  private func result(
    of reader: ValueReader,
    _ remote: FlowRemote,
    until deadline: UInt64?
  ) -> Result<ExitCode, ClientError>? {
    var pauses = request.tap != nil || session.remarks.isQuiet ? [] : Self.patience[...]
    let waiting = WaitingRemarks(of: watchedName, session) { text in
      reader.note(text, on: remote)
    }
    var received = 0
    while let pause = pauses.popFirst() {
      let next = session.platform.moment(after: pause)
      guard next < deadline ?? .max else { break }
      if let result = reader.outcome.wait(until: next) { return result }
      if reader.received != received {
        received = reader.received
        pauses = Self.patience.dropFirst(2)
        continue
      }
      let expression = DisplayText.cut(DisplayText.visible(request.expression), to: 60)
      waiting.sayWhyNothingComes(from: expression, isFirst: received == 0, remote)
    }
    return reader.outcome.wait(until: deadline)
  }

  /// The pauses before the server is asked why no values come.
  ///
  /// The first question makes the server begin to watch, and after a second it has a verdict: so it is asked
  /// twice each time, at growing intervals. Once values have come, the first pause is 10 s.
  private static let patience = [2, 1.2, 10, 1.2, 60, 1.2, 600, 1.2].map { Duration.seconds($0) }

  /// The name that the server is asked about while nothing comes.
  private var watchedName: String? {
    request.isManual ? nil : Self.name(in: request.expression)
  }

  /// The name that an expression is, or that its operators are behind; a pattern is none.
  static func name(in expression: String) -> String? {
    let name = expression.prefix { $0.isLetter || $0.isNumber || "_$-/".contains($0) }
    let rest = expression[name.endIndex...].drop(while: \.isWhitespace)
    return (rest.isEmpty || rest.first == ".") && Name.isReadable(name) ? String(name) : nil
  }

  private static func act(on key: Keys.Wish, _ reader: ValueReader, _ remote: FlowRemote) {
    switch key {
    case .ask(let count): reader.ask(for: count, on: remote)
    case .askNoMore: reader.askNoMore(on: remote)
    case .quit: reader.stop(on: remote)
    case .unknown(let byte):
      let text = "expected digits, a or q, found \"\(Character(Unicode.Scalar(byte)))\""
      reader.outcome.settle(.failure(ClientError(.badInput, text)))
    }
  }

  private func report(_ reader: ValueReader) {
    let misses = reader.misses
    for (reason, count) in misses.reasons.sorted(by: { $0.key < $1.key }) {
      session.remarks.note(remark(Figure.counted(count, "value"), reason))
    }
    for remark in reader.remarks { session.remarks.note(remark) }
    if misses.undelivered > 0 {
      session.remarks.detail("\(misses.undelivered) values were under way")
    }
    session.remarks.detail("received \(reader.received)")
  }

  /// Returns the remark that `values` were missed, with the reason.
  private func remark(_ values: String, _ reason: String) -> String {
    switch DropReason(rawValue: reason) {
    case .noDemand where request.tap != nil: "left out \(values)"
    case .noDemand where request.isManual: "missed \(values) that came while none was asked for"
    case .noDemand: "missed \(values); use buffer or flow=slowest"
    case let known?: "missed \(values) (\(reason)): \(known.explanation)"
    case nil: "missed \(values): \(reason)"
    }
  }
}

extension DropReason {
  /// Why the values were missed, as a clause of a remark.
  fileprivate var explanation: String {
    switch self {
    case .noDemand: "none was asked for"
    case .bufferOldest: "a buffer was full and dropped its oldest values"
    case .bufferNewest: "a buffer was full and dropped the newest values"
    case .replaced: "newer ones came before they were asked for"
    case .busy: "exhaustMap was at work"
    case .unmatched: "a join found no partner in time"
    case .gap: "NATS no longer had them"
    case .failed: "a closure had no answer for them; SHOW has the last one, and why"
    case .inside: "they were inside when the pipeline failed"
    }
  }
}
