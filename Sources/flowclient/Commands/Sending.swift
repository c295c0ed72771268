import Dispatch
import FlowRemote

/// Publishes given values or those of standard input: `send NAME [VALUE…]`.
struct Sending {
  private let request: SendRequest
  private let session: ClientSession

  init(_ request: SendRequest, _ session: ClientSession) {
    self.request = request
    self.session = session
  }

  func run() async throws(ClientError) -> ExitCode {
    let deadline = request.timeout.map(DispatchTime.after)
    let remote = try await session.connect()
    defer { remote.close() }
    let isLine = { (value: String) in
      !value.isEmpty && !value.utf8.contains { $0 == 10 || $0 == 13 }
    }
    if !request.values.isEmpty, request.values.allSatisfy(isLine) {
      return try sendLines(remote, until: deadline)
    }
    return try publish(remote, until: deadline)
  }

  /// One `SEND` a value: each has an answer, which says how many subscribers got it.
  private func sendLines(
    _ remote: FlowRemote,
    until deadline: DispatchTime?
  ) throws(ClientError) -> ExitCode {
    for value in request.values {
      let outcome = Outcome()
      remote.command("SEND \(request.name) \(value)") { [remarks = session.remarks] answer in
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
    until deadline: DispatchTime?
  ) throws(ClientError) -> ExitCode {
    let pump = LinePump(largestValue: remote.largestValue)
    pump.start(on: remote, name: request.name)
    var source = LineSource(values: request.values)
    while let chunk = try source.next() {
      pump.offer(chunk, on: remote)
      try wait(for: pump, until: deadline)
    }
    pump.finish(on: remote)
    try wait(for: pump, until: deadline)
    session.remarks.detail("sent \(pump.sent) values to \(request.name)")
    return .done
  }

  /// Waits until the pump has sent what it was offered; says so when that takes long.
  private func wait(for pump: LinePump, until deadline: DispatchTime?) throws(ClientError) {
    let patience = DispatchTime.after(.seconds(2))
    if try pump.wait(until: min(deadline ?? patience, patience)) { return }
    if deadline.map({ $0 > patience }) ?? true {
      session.remarks.note("\(request.name) asks for nothing at the moment; waiting")
      if try pump.wait(until: deadline) { return }
    }
    throw timedOut
  }

  private var timedOut: ClientError {
    ClientError(.timeout, "\(request.name) did not take it all in time")
  }
}
