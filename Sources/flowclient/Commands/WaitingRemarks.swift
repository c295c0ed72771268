import FlowRemote
import FlowWire

/// Prints why no values move at a name, once for each reason.
///
/// The reason is the server's verdict; without one, only the client's own knowledge is printed.
final class WaitingRemarks {
  struct Verdict {
    let code: String
    let text: String
    /// The cause: a failed run, or a reader that makes others wait.
    let who: String
  }

  /// The name to ask about.
  private let name: String?
  private let session: ClientSession
  private let note: (String) -> Void
  private var said: String?

  /// Remarks go to `note`, or else to the session.
  init(of name: String?, _ session: ClientSession, note: ((String) -> Void)? = nil) {
    self.name = name
    self.session = session
    self.note = note ?? session.remarks.note
  }

  func say(_ wait: String, _ remote: FlowRemote) {
    let verdict = verdict(remote)
    say(wait, verdict?.text, verdict.map { "\($0.code) \($0.who)" } ?? said ?? "")
  }

  /// Prints that a called service has no worker.
  ///
  /// Before the first value, it also prints which run has failed or which reader blocks the name.
  func sayWhyNothingComes(from expression: String, isFirst: Bool, _ remote: FlowRemote) {
    guard let told = watch(remote) else { return }
    let services = told.sample.unserved.filter(\.isOwn)
    if !services.isEmpty {
      let names = services.map { $0.json.words("service") }.joined(separator: " ")
      let wait = isFirst ? "nothing from \(expression) so far" : "nothing more from \(expression)"
      return say(wait, services.map { "\($0.text) \($0.hint)" }.joined(separator: " "), names)
    }
    guard isFirst, let name, let verdict = Self.verdict(told, on: name),
      !verdict.who.isEmpty || ["failed", "leaves-out"].contains(verdict.code),
      ["quiet", "asleep", "failed", "elsewhere", "leaves-out"].contains(verdict.code)
    else { return }
    say("nothing from \(name) so far", verdict.text, "\(verdict.code) \(verdict.who)")
  }

  private func say(_ wait: String, _ text: String?, _ reason: String) {
    guard reason != said else { return }
    said = reason
    note(text.map { "\(wait). \($0)" } ?? wait)
  }

  /// Requests the server's verdict; `nil` if it does not answer within a second.
  func verdict(_ remote: FlowRemote) -> Verdict? {
    watch(remote).flatMap { Self.verdict($0, on: name) }
  }

  private func watch(_ remote: FlowRemote) -> WatchAnswer? {
    // Asks for no names if there is none, or the server does not know it: no name contains a bracket.
    let rows =
      name.flatMap { session.rows(of: .watch(name: $0), remote) }
      ?? session.rows(of: .watch(name: nil, filter: "("), remote)
    return rows.flatMap(WatchAnswer.init(rows:))
  }

  private static func verdict(_ told: WatchAnswer, on name: String?) -> Verdict? {
    guard let name, let watched = told.sample.watched,
      // A verdict on stages takes a while, one on subjects does not.
      told.sample.isJudged || told.topology?.kinds[name] == "subject"
    else { return nil }
    let json = watched.verdict.json
    let who = json.member("end")?.text ?? json.member("name")?.text ?? ""
    let text = watched.verdict.text
    return text.isEmpty ? nil : Verdict(code: watched.verdict.code, text: text, who: who)
  }
}
