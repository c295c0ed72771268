import Dispatch
import FlowLanguage
import FlowRemote
import FlowTransport
import FlowWire

/// Publishes given values, or those of standard input: `send NAME [VALUE…]`.
struct Sending {
  private let request: SendRequest
  private let session: ClientSession
  private let waiting: WaitingRemarks
  private var tally = SendTally()

  init(_ request: SendRequest, _ session: ClientSession) {
    self.request = request
    self.session = session
    waiting = WaitingRemarks(of: request.name, session)
  }

  mutating func run() async throws(ClientError) -> ExitCode {
    let deadline = request.timeout.map(session.platform.moment)
    let remote = try await session.connect()
    defer { remote.close() }
    try checkChunk(remote)
    if canBeLines {
      try sendLines(remote, until: deadline)
    } else {
      try publish(remote, until: deadline)
    }
    if tally.nobody > 0, keepsValues(remote) { tally.nobody = 0 }
    if request.endsSubject { try perform(.done(.name(request.name)), remote, until: deadline) }
    if session.isJSON { report() }
    if tally.isMissed { session.remarks.note(tally.text) }
    guard tally.unconfirmed == 0 else {
      let text = "at most \(tally.unconfirmed) of \(tally.sent) values may not have reached"
      throw ClientError(.unreachable, "connection lost on the way: \(text) \(request.name)")
    }
    return tally.isMissed && request.failsOnMiss ? .no : .done
  }

  /// Whether the subject keeps values for later subscribers; false if the server does not say.
  private func keepsValues(_ remote: FlowRemote) -> Bool {
    // LIST needs no right beyond sending. It takes only patterns; this one also matches the name itself.
    let rows = session.rows(of: .list(.subjects, like: "\(request.name)/**"), remote) ?? []
    let row = rows.lazy.map { Row($0) }.first { $0.kind == .subject && $0.name == request.name }
    return row.map { $0.text != "passthrough" } ?? false
  }

  /// Prints the results as a JSON object.
  private func report() {
    var members = [("name", JSONText.string(request.name)), ("sent", "\(tally.sent)")]
    if let to = tally.to { members.append(("to", "\(to)")) }
    if let missed = tally.missed { members.append(("missed", "\(missed)")) }
    if tally.nobody > 0 { members.append(("nobody", "\(tally.nobody)")) }
    if tally.unconfirmed > 0 { members.append(("unconfirmed", "\(tally.unconfirmed)")) }
    if request.endsSubject { members.append(("ended", "true")) }
    session.surroundings.writeOutput("\(JSONLine.object(members))\n")
  }

  /// Whether every value fits a `SEND`.
  private var canBeLines: Bool {
    let isLine = { (value: String) in
      !value.isEmpty && value.utf8.count <= Self.longestLine
        && !value.utf8.contains { $0 == 10 || $0 == 13 }
    }
    return request.count == nil && request.rate == nil && !request.values.isEmpty
      && request.values.allSatisfy(isLine)
  }

  /// The longest value sent by `SEND`, in bytes; longer ones need a frame.
  private static let longestLine = 32 * 1024

  private func checkChunk(_ remote: FlowRemote) throws(ClientError) {
    guard let size = request.chunk, size > remote.largestValue else { return }
    throw ClientError(
      .usage,
      "--chunks is \(size) bytes, but the limit of a value is \(remote.largestValue) bytes"
    )
  }

  /// Sends a `SEND` for each value; the answer has the number of its subscribers.
  private mutating func sendLines(
    _ remote: FlowRemote,
    until deadline: UInt64?
  ) throws(ClientError) {
    for value in request.values {
      let bytes = Array(value.utf8)
      let mark = unsafe bytes.withUnsafeBytes { unsafe JSONText.markLength(of: $0) }
      let value = Array(bytes[mark...])
      try perform(.send(name: request.name, value: value), remote, until: deadline)
      tally.sent += 1
    }
  }

  private mutating func perform(
    _ command: Command,
    _ remote: FlowRemote,
    until deadline: UInt64?
  ) throws(ClientError) {
    let outcome = Outcome<RemoteAnswer>(on: session.platform)
    remote.command(command) { outcome.settle($0.mapError { ClientError($0) }) }
    guard let result = outcome.wait(until: deadline) else { throw timedOut }
    do throws(ClientError) {
      let answer = try result.get()
      session.remarks.detail(answer.text)
      tally.add(answer)
    } catch {
      guard error.code == .noDemand else { throw error }
      throw ClientError(error.exit, error.message, advice: waiting.verdict(remote)?.text)
    }
  }

  private mutating func publish(
    _ remote: FlowRemote,
    until deadline: UInt64?
  ) throws(ClientError) {
    let pump = LinePump(remote, on: session.platform) {
      [remarks = session.remarks] count in
      let values = Figure.counted(count, "value")
      remarks.note("at most \(values) may not have reached the server, and will not be sent again")
    }
    pump.start(name: request.name)
    var records = request.form.records(limit: remote.largestValue)
    var pace = request.rate.map { SteadyPace(rate: $0, on: session.platform) }
    let prompt = prompt
    var failure: ClientError?
    reading: for origin in ValueOrigin.all(of: request) {
      var source = try origin.open(
        in: session.surroundings,
        chunk: request.chunk,
        limit: remote.largestValue,
        prompt: prompt
      )
      while let chunk = try source.next() {
        guard let read = records?.read(chunk) else {
          try deliver(chunk, by: pump, &pace, until: deadline)
          continue
        }
        try deliver(read, by: pump, &pace, until: deadline)
        failure = read.failure
        if failure != nil { break reading }
      }
    }
    pump.finish()
    try wait(for: pump, until: deadline)
    let (sent, unconfirmed) = (pump.sent, pump.unconfirmed)
    (tally.sent, tally.unconfirmed) = (sent, unconfirmed)
    if let answer = pump.answer { tally.add(answer) }
    if let failure = failure ?? records?.end() {
      throw failure.behind(sent: sent, untaken: unconfirmed)
    }
    session.remarks.detail("sent \(sent) values to \(request.name)")
  }

  /// The prompt at a terminal, after a remark on how to end.
  private var prompt: String? {
    let surroundings = session.surroundings
    let isAsked = request.values.isEmpty && request.files.isEmpty && request.chunk == nil
    guard isAsked, surroundings.inputIsTerminal, surroundings.errorIsTerminal,
      !session.remarks.isQuiet
    else { return nil }
    session.remarks.note("type \(request.form.typed) for \(request.name); control-D ends")
    return "\(request.name)> "
  }

  private func deliver(
    _ read: ReadValues,
    by pump: LinePump,
    _ pace: inout SteadyPace?,
    until deadline: UInt64?
  ) throws(ClientError) {
    guard !read.ends.isEmpty else { return }
    unsafe try read.bytes.withUnsafeBufferPointer { (values) throws(ClientError) in
      let bytes = UnsafeRawBufferPointer(values)
      let chunk = unsafe ValueChunk(bytes: bytes, cut: .ends(read.ends))
      try deliver(chunk, by: pump, &pace, until: deadline)
    }
  }

  /// Sends a chunk as a whole, or line by line at the given pace.
  private func deliver(
    _ chunk: ValueChunk,
    by pump: LinePump,
    _ pace: inout SteadyPace?,
    until deadline: UInt64?
  ) throws(ClientError) {
    do throws(ClientError) {
      for piece in pace == nil ? [chunk] : chunk.pieces {
        pace?.wait()
        pump.offer(piece)
        try wait(for: pump, until: deadline)
      }
    } catch {
      // Otherwise a later grant would read a freed chunk.
      pump.abandon()
      throw error
    }
  }

  /// Waits until the pump has sent its chunk; prints the reason if it takes long.
  private func wait(for pump: LinePump, until deadline: UInt64?) throws(ClientError) {
    var patience = Self.patience
    let end = deadline ?? .max
    while true {
      let next = min(end, session.platform.moment(after: patience))
      if try pump.wait(until: next) { return }
      // Waking early means that the program is ending.
      let isOnTime = (next..<end).contains(session.platform.monotonicNanoseconds)
      guard isOnTime else { throw timedOut }
      waiting.say("\(request.name) has no demand; waiting", pump.remote)
      patience = Self.longPatience
    }
  }

  private static let patience = Duration.seconds(2)
  private static let longPatience = Duration.seconds(10)

  private var timedOut: ClientError {
    ClientError(.timeout, "timed out before \(request.name) took all values")
  }
}

extension SendRequest.Form {
  /// The name of the form, for a user who types values.
  fileprivate var typed: String {
    switch self {
    case .text: "one value a line"
    case .raw: "one value"
    case .csv: "CSV with a header"
    case .ndjson: "JSON, one value a line,"
    case .json: "objects of sub -o json"
    }
  }
}

private struct SteadyPace {
  private let platform: any Platform
  private let pacing: Pacing
  private var number: UInt64 = 0

  init(rate: Double, on platform: any Platform) {
    self.platform = platform
    pacing = Pacing(start: platform.monotonicNanoseconds, senders: 1, rate: rate)
  }

  mutating func wait() {
    let due = pacing.due(number)
    number += 1
    _ = platform.wait(for: DispatchSemaphore(value: 0), until: due)
  }
}
