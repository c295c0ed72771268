import Dispatch
import FlowRemote
import FlowTransport
import FlowWire

/// Publishes given values or those of standard input: `send NAME [VALUE…]`.
struct Sending {
  private let request: SendRequest
  private let session: ClientSession

  init(_ request: SendRequest, _ session: ClientSession) {
    self.request = request
    self.session = session
  }

  func run() async throws(ClientError) -> ExitCode {
    let deadline = request.timeout.map(session.platform.moment)
    let remote = try await session.connect()
    defer { remote.close() }
    let isLine = { (value: String) in
      !value.isEmpty && !value.utf8.contains { $0 == 10 || $0 == 13 }
    }
    let isPlain = request.count == nil && request.rate == nil
    if isPlain, !request.values.isEmpty, request.values.allSatisfy(isLine) {
      return try sendLines(remote, until: deadline)
    }
    return try publish(remote, until: deadline)
  }

  /// One `SEND` a value: each has an answer, which says how many subscribers got it.
  private func sendLines(
    _ remote: FlowRemote,
    until deadline: UInt64?
  ) throws(ClientError) -> ExitCode {
    for value in request.values {
      let outcome = Outcome(on: session.platform)
      let send = Command.send(name: request.name, value: Array(value.utf8))
      remote.command(send) { [remarks = session.remarks] answer in
        switch answer {
        case .success(let answer):
          remarks.detail(answer.text)
          outcome.settle(.success(.done))
        case .failure(let error): outcome.settle(.failure(ClientError(error)))
        }
      }
      guard let result = outcome.wait(until: deadline) else { throw timedOut }
      _ = try result.get()
    }
    return .done
  }

  private func publish(
    _ remote: FlowRemote,
    until deadline: UInt64?
  ) throws(ClientError) -> ExitCode {
    let pump = LinePump(largestValue: remote.largestValue, on: session.platform)
    pump.start(on: remote, name: request.name)
    var source =
      if let count = request.count, let template = request.values.first {
        LineSource(NumberedValues(template, count: count), of: session.surroundings)
      } else {
        LineSource(values: request.values, of: session.surroundings)
      }
    // A subject that asks again would be sent of a chunk that is gone.
    defer { pump.abandon(on: remote) }
    var records = try request.form == .json ? JSONRecords() : nil
    var pace = request.rate.map { SteadyPace(rate: $0, on: session.platform) }
    while let chunk = try source.next() {
      guard let values = unsafe try records?.values(of: chunk.bytes) else {
        try deliver(chunk, by: pump, remote, &pace, until: deadline)
        continue
      }
      unsafe try values.withUnsafeBufferPointer { (values) throws(ClientError) in
        let chunk = unsafe LineSource.Chunk(bytes: UnsafeRawBufferPointer(values))
        try deliver(chunk, by: pump, remote, &pace, until: deadline)
      }
    }
    pump.finish(on: remote)
    try wait(for: pump, until: deadline)
    session.remarks.detail("sent \(pump.sent) values to \(request.name)")
    return .done
  }

  /// Sends a chunk: as a whole, or line by line as the pace wants it.
  private func deliver(
    _ chunk: LineSource.Chunk,
    by pump: LinePump,
    _ remote: FlowRemote,
    _ pace: inout SteadyPace?,
    until deadline: UInt64?
  ) throws(ClientError) {
    for piece in pace == nil ? [chunk] : chunk.pieces {
      pace?.wait()
      pump.offer(piece, on: remote)
      try wait(for: pump, until: deadline)
    }
  }

  /// Waits until the pump has sent what it was offered; says so when that takes long.
  private func wait(for pump: LinePump, until deadline: UInt64?) throws(ClientError) {
    let patience = session.platform.moment(after: .seconds(2))
    if try pump.wait(until: min(deadline ?? patience, patience)) { return }
    if deadline.map({ $0 > patience }) ?? true {
      session.remarks.note("\(request.name) has no demand; waiting")
      if try pump.wait(until: deadline) { return }
    }
    throw timedOut
  }

  private var timedOut: ClientError {
    ClientError(.timeout, "timed out before \(request.name) took all values")
  }
}

/// Waits until the next value is due.
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
