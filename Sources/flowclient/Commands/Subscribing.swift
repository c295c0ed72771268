import FlowCore
import FlowFiles
import FlowLanguage
import FlowRemote
import FlowTransport
import FlowWire

/// Prints the values of a subscription or a tap: `sub EXPR`, `tap NAME`.
struct Subscribing {
  private static let usualWindow: UInt64 = 16_384
  /// The window of a durable subscription, whose unacknowledged values come again.
  private static let durableWindow: UInt64 = 1024

  let request: SubscribeRequest
  let session: ClientSession

  func run() async throws(ClientError) -> ExitCode {
    // Checks the expression here, because the command sends demand after it that the user has not typed.
    if request.tap == nil, !Expression.isWhole(request.expression) {
      do throws(ClientError) {
        _ = try FreeExpression(checking: request.expression)
      } catch {
        // Exits as after a refusal by the server.
        throw ClientError(.no, error.message, advice: error.advice)
      }
    }
    let timeout = request.timeout.map(session.platform.moment)
    let length = request.length.map(session.platform.moment)
    let remote = try await session.connect()
    defer { remote.close() }
    let terminal = request.isManual ? Terminal(session.surroundings, .keys) : nil
    terminal?.enter()
    defer { terminal?.leave() }
    let reader = ValueReader(
      plan: DemandPlan(window: window, limit: request.count),
      delay: request.delay,
      session: session,
      showsStatus: request.isManual
    )
    let signals = EndingSignals(of: session.surroundings) { reader.stop(on: remote) }
    session.surroundings.endWhenOutputBreaks()
    reader.start(on: remote, expression: request.expression, tap: request.tap, durable: durable)
    terminal?.readWishes { key in Self.act(on: key, reader, remote) }
    let result: ExitCode
    do {
      result = try wait(for: reader, remote, timeout: timeout, length: length)
    } catch {
      terminal?.leave()
      report(reader)
      throw error
    }
    terminal?.leave()
    report(reader)
    if let number = signals.received { session.surroundings.end(by: number) }
    return result
  }

  private var durable: ValueReader.Durable? {
    guard let name = request.durable else { return nil }
    let window: UInt64 =
      if case .upTo(let count) = request.window { count } else { Self.durableWindow }
    return ValueReader.Durable(name: name, window: window)
  }

  /// The demand kept ahead of the printed values.
  private var window: DemandPlan.Window {
    if request.isManual { return .byHand }
    if let window = request.window { return window }
    if request.delay != nil { return .upTo(1) }
    return durable.map { .upTo($0.window) } ?? .atLeast(Self.usualWindow)
  }

  private func wait(
    for reader: ValueReader,
    _ remote: FlowRemote,
    timeout: UInt64?,
    length: UInt64?
  ) throws(ClientError) -> ExitCode {
    if let length, length <= timeout ?? .max {
      if let result = result(of: reader, remote, until: length) { return try result.get() }
      // A blocked standard output can prevent the end of the stream.
      reader.stop(on: remote)
      return try reader.outcome.wait(until: session.platform.moment(after: .seconds(1)))?.get()
        ?? .done
    }
    if let result = result(of: reader, remote, until: timeout) { return try result.get() }
    throw ClientError(.timeout, "timed out")
  }

  /// Waits for the end; meanwhile prints why no values arrive.
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

  /// The pauses before asking the server why no values arrive.
  ///
  /// The first question starts the server's observation, which has a verdict after a second: so
  /// each pause has two questions. After values have arrived, the first pause is 10 s.
  private static let patience = [2, 1.2, 10, 1.2, 60, 1.2, 600, 1.2].map { Duration.seconds($0) }

  /// The name to ask the server about while nothing arrives.
  private var watchedName: String? {
    request.isManual ? nil : Self.name(in: request.expression)
  }

  /// The name that an expression begins with; nil for a pattern.
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
      let values = Figure.counted(count, "value")
      session.remarks.note(remark(values, reason, hasFreeFlow: reader.hasFreeFlow))
    }
    for remark in reader.remarks { session.remarks.note(remark) }
    if misses.undelivered > 0 {
      session.remarks.detail("\(misses.undelivered) values were under way")
    }
    session.remarks.detail("received \(reader.received)")
  }

  private func remark(_ values: String, _ reason: String, hasFreeFlow: Bool) -> String {
    switch DropReason(rawValue: reason) {
    case .noDemand where request.tap != nil: "left out \(values)"
    case .noDemand where request.isManual: "missed \(values) that came while none was asked for"
    case .noDemand where hasFreeFlow: "missed \(values); use buffer, or a token with the right hold"
    case .noDemand: "missed \(values); use buffer or flow=slowest"
    case let known?: "missed \(values) (\(reason)): \(known.explanation)"
    case nil: "missed \(values): \(reason)"
    }
  }
}

extension DropReason {
  /// Why values were missed, as a clause of a remark.
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
