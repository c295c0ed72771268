import FlowRemote
import FlowWire

/// Writes text for people to standard error.
struct Remarks: Sendable {
  private let surroundings: any Surroundings
  let isQuiet: Bool
  let isVerbose: Bool

  init(_ surroundings: any Surroundings, isQuiet: Bool = false, isVerbose: Bool = false) {
    self.surroundings = surroundings
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
  }

  /// Writes a remark, unless `-q` is set.
  func note(_ text: String) {
    if !isQuiet { surroundings.writeError("\(FrameWriter.oneLine(text))\n") }
  }

  /// Writes a detail if `-v` is set.
  func detail(_ text: String) {
    if isVerbose { surroundings.writeError("\(FrameWriter.oneLine(text))\n") }
  }

  /// Writes a user's command's standard error, unless `-q` is set.
  func passOn(_ bytes: [UInt8]) {
    if !isQuiet { unsafe bytes.withUnsafeBytes(surroundings.writeError) }
  }

  /// Writes an error and its advice, even with `-q`.
  func error(_ error: ClientError) {
    // Makes each line safe, because the message may contain a server's text.
    let lines = ["flowclient: \(error.message)"] + [error.advice].compactMap(\.self)
    let text = lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { FrameWriter.oneLine(String($0)) + "\n" }
    surroundings.writeError(text.joined())
  }
}

extension Remarks {
  func state(_ state: FlowRemote.State, of server: String) {
    switch state {
    case .connected: note("reconnected to \(server)")
    case .reconnecting(let error, let delay):
      let wait = "trying again in \(Self.seconds(delay)) s"
      switch error {
      case .unreachable(let reason): detail("cannot reach \(server): \(reason); \(wait)")
      default: note("lost \(server): \(error.text); \(wait)")
      }
    case .closed: break
    }
  }

  /// Formats with one decimal.
  private static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(100)).rounded(.up))
    return "\(tenths / 10).\(tenths % 10)"
  }
}
