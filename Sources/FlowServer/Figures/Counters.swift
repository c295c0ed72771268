internal import FlowLanguage
internal import FlowWire

/// The engine's own counters, each with at most one addition per value.
///
/// Subjects, streams and runs add their counts here when they go.
final class Counters {
  var valueFrames = 0
  /// `SEND` without a tag, which the decoder handles itself.
  var sends = 0
  // The two signals that are as frequent as values.
  private var requests = 0
  private var dones = 0
  /// Indexed by verb.
  private var otherCommands = Array(repeating: 0, count: Verb.allCases.count)
  private var errors: [ErrorLine: Int] = [:]
  private(set) var missed: [DropReason: Int] = [:]

  var turns = 0
  /// Work that was left for a later turn, or until bytes were sent.
  var postponed = 0
  var connections = 0
  var streams = 0
  /// Calls that workers have answered.
  var calls = 0
  /// Values sent to subjects that no longer exist.
  var published = 0
  /// Values sent to clients on streams that no longer exist.
  var delivered = 0

  struct ErrorLine: Hashable {
    let line: String
    let code: String
  }

  func count(_ command: Command) {
    switch command {
    case .request: requests &+= 1
    case .done: dones &+= 1
    default: otherCommands[command.verb.place] += 1
    }
  }

  /// Counts an `ERR`, `FAIL` or `BYE`; all codes that clients made up count as one.
  func count(_ line: String, _ code: String) {
    let known = ErrorCode(rawValue: code) == nil ? "other" : code
    errors[ErrorLine(line: line, code: known), default: 0] += 1
  }

  func countMissed(_ count: Int, _ reason: DropReason) { missed[reason, default: 0] += count }

  /// The frames by verb, without zeros.
  var frames: [(verb: String, count: Int)] {
    var frames = otherCommands
    frames[Verb.send.place] += sends
    frames[Verb.request.place] = requests
    frames[Verb.done.place] = dones
    let commands = Verb.allCases.map { ($0.rawValue, frames[$0.place]) }
    return (commands + [("=", valueFrames)]).filter { $0.1 > 0 }
  }

  /// The error lines by name.
  var errorLines: [(ErrorLine, Int)] {
    errors.sorted { ($0.key.line, $0.key.code) < ($1.key.line, $1.key.code) }
      .map { ($0.key, $0.value) }
  }
}
