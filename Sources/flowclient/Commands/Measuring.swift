import FlowRemote
import FlowWire

/// Shows the metrics of the server, or of names: `stats [NAME|PATTERN]`.
struct Measuring {
  private let request: StatsRequest
  private let session: ClientSession

  init(_ request: StatsRequest, _ session: ClientSession) {
    self.request = request
    self.session = session
  }

  func run() async throws(ClientError) -> ExitCode {
    let remote = try await session.connect()
    defer { remote.close() }
    let answer = try await answer(to: .stats(request.name), remote)
    let lines =
      switch request.form {
      case .json: answer.rows.map { RowRecord.json($0, of: .stats) }
      case .text: try await listing(answer, remote).table(width: width)
      case .prometheus: try await listing(answer, remote).prometheus
      }
    session.surroundings.writeOutput(lines.map { "\($0)\n" }.joined())
    session.remarks.detail(answer.text)
    return .done
  }

  private var width: Int { session.surroundings.textWidth ?? 10_000 }

  private func listing(
    _ answer: RemoteAnswer,
    _ remote: FlowRemote
  ) async throws(ClientError) -> MetricListing {
    let help = try await self.answer(to: .help(HelpTopic.metrics.rawValue), remote)
    return MetricListing(answer.rows, help: help.rows)
  }

  private func answer(
    to command: Command,
    _ remote: FlowRemote
  ) async throws(ClientError) -> RemoteAnswer {
    do throws(RemoteError) {
      return try await remote.command(command)
    } catch {
      throw ClientError(error)
    }
  }
}
