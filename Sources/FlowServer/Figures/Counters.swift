internal import FlowLanguage
internal import FlowWire

/// What an engine counts that nothing else knows: of each value at most one addition.
///
/// What subjects, streams and runs count themselves is added when they go.
final class Counters {
  /// Value frames, `=` and `:`.
  var valueFrames = 0
  /// `SEND`, which the decoder takes apart itself.
  var sends = 0
  // The two signals that come as often as values do.
  private var requests = 0
  private var dones = 0
  /// By the places of their verbs.
  private var otherCommands = Array(repeating: 0, count: Verb.allCases.count)
  private var errors: [ErrorLine: Int] = [:]
  private(set) var missed: [DropReason: Int] = [:]

  var turns = 0
  /// How often something was left for a later turn, or until bytes are sent.
  var postponed = 0
  var connections = 0
  var streams = 0
  /// Calls that workers have ended.
  var calls = 0
  /// Values sent to subjects that are gone.
  var published = 0
  /// Values sent to clients on streams that are gone.
  var delivered = 0

  /// A line that tells of an error, and its code.
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

  /// Counts an `ERR`, `FAIL` or `BYE`; codes that a client made up count as one.
  func count(_ line: String, _ code: String) {
    let known = ErrorCode(rawValue: code) == nil ? "other" : code
    errors[ErrorLine(line: line, code: known), default: 0] += 1
  }

  func countMissed(_ count: Int, _ reason: DropReason) { missed[reason, default: 0] += count }

  /// How many frames of each sort came, but for sorts of which none did.
  var frames: [(verb: String, count: Int)] {
    var frames = otherCommands
    frames[Verb.send.place] += sends
    frames[Verb.request.place] = requests
    frames[Verb.done.place] = dones
    let commands = Verb.allCases.map { ($0.rawValue, frames[$0.place]) }
    return (commands + [("=", valueFrames)]).filter { $0.1 > 0 }
  }

  /// How many errors of each sort there were, in the order of their names.
  var errorLines: [(ErrorLine, Int)] {
    errors.sorted { ($0.key.line, $0.key.code) < ($1.key.line, $1.key.code) }
      .map { ($0.key, $0.value) }
  }
}
