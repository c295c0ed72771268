import FlowRemote
import FlowWire

/// Text for people, on standard error.
struct Remarks: Sendable {
  private let surroundings: any Surroundings
  let isQuiet: Bool
  let isVerbose: Bool

  init(_ surroundings: any Surroundings, isQuiet: Bool = false, isVerbose: Bool = false) {
    self.surroundings = surroundings
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
  }

  /// Writes a remark; nothing with `-q`.
  func note(_ text: String) {
    if !isQuiet { surroundings.writeError("\(FrameWriter.oneLine(text))\n") }
  }

  /// Writes a detail, with `-v` only.
  func detail(_ text: String) {
    if isVerbose { surroundings.writeError("\(FrameWriter.oneLine(text))\n") }
  }

  /// Writes the remarks of the user's own command; nothing with `-q`.
  func passOn(_ bytes: [UInt8]) {
    if !isQuiet { unsafe bytes.withUnsafeBytes(surroundings.writeError) }
  }

  /// Writes an error and its advice, in any case.
  func error(_ error: ClientError) {
    // What a server has said may be in it; the places of mistakes are on lines of their own.
    let lines = ["flowclient: \(error.message)"] + [error.advice].compactMap(\.self)
    let text = lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { FrameWriter.oneLine(String($0)) + "\n" }
    surroundings.writeError(text.joined())
  }
}

extension Remarks {
  /// Writes the state of the connection to `server`.
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

  /// With one digit behind the point.
  private static func seconds(_ duration: Duration) -> String {
    let tenths = Int((duration / .milliseconds(100)).rounded(.up))
    return "\(tenths / 10).\(tenths % 10)"
  }
}
