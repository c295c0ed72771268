import FlowRemote
import FlowWire

/// What is said beside the data, on standard error.
struct Remarks: Sendable {
  private let surroundings: any Surroundings
  let isQuiet: Bool
  let isVerbose: Bool

  init(_ surroundings: any Surroundings, isQuiet: Bool = false, isVerbose: Bool = false) {
    self.surroundings = surroundings
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
  }

  /// Something worth knowing; silent with `-q`.
  func note(_ text: String) {
    if !isQuiet { surroundings.writeError("\(FrameWriter.oneLine(text))\n") }
  }

  /// Something that only `-v` asks for.
  func detail(_ text: String) {
    if isVerbose { surroundings.writeError("\(FrameWriter.oneLine(text))\n") }
  }

  /// What a command of the user's says; silent with `-q`.
  func passOn(_ bytes: [UInt8]) {
    if !isQuiet { unsafe bytes.withUnsafeBytes(surroundings.writeError) }
  }

  /// What went wrong and what to do about it; never silent.
  func error(_ error: ClientError) {
    // What a server has said may be in it; the places of mistakes are on lines of their own.
    let lines = ["flowclient: \(error.message)"] + [error.advice].compactMap(\.self)
    let text = lines.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { FrameWriter.oneLine(String($0)) + "\n" }
    surroundings.writeError(text.joined())
  }
}

extension Remarks {
  /// How the connection to `server` stands now.
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
