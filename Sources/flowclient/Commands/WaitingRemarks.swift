import Dispatch
import FlowRemote
import FlowTransport
import FlowWire
import Synchronization

/// Says why values do not move at a name: once, and again when it is for another reason.
///
/// The reason is the server's verdict; where it tells none, because it is old, away or may not, only what
/// the client knows itself is said.
final class WaitingRemarks {
  /// What the server says of a name.
  struct Verdict {
    let code: String
    let text: String
    /// Whom it is about: a run that has failed, or who keeps others waiting.
    let who: String
  }

  private let name: String
  private let session: ClientSession
  private var said: String?

  init(of name: String, _ session: ClientSession) {
    self.name = name
    self.session = session
  }

  /// Says `wait`, and what the server says of it.
  func say(_ wait: String, _ remote: FlowRemote) {
    let verdict = verdict(remote)
    let reason = verdict.map { "\($0.code) \($0.who)" } ?? said ?? ""
    guard reason != said else { return }
    said = reason
    session.remarks.note(verdict.map { "\(wait). \($0.text)" } ?? wait)
  }

  /// Says what the server says, if nothing comes because somebody else has failed or is waited for.
  func sayWhoFailed(_ remote: FlowRemote) {
    guard let verdict = verdict(remote), !verdict.who.isEmpty || verdict.code == "failed",
      ["quiet", "asleep", "failed", "elsewhere"].contains(verdict.code)
    else { return }
    let reason = "\(verdict.code) \(verdict.who)"
    guard reason != said else { return }
    said = reason
    session.remarks.note("nothing from \(name) so far. \(verdict.text)")
  }

  /// Asks the server, which has a second to answer.
  func verdict(_ remote: FlowRemote) -> Verdict? {
    let answer = Answer()
    let platform = session.platform
    remote.command(.watch(name: name)) { result in
      if case .success(let rows) = result { answer.rows.withLock { $0 = rows.rows } }
      answer.arrived.signal()
    }
    guard platform.wait(for: answer.arrived, until: platform.moment(after: .seconds(1))),
      let told = WatchAnswer(rows: answer.rows.withLock { $0 }), let watched = told.sample.watched,
      // Of stages it knows something only after a while, of subjects at once.
      told.sample.isJudged || told.topology?.kinds[name] == "subject"
    else { return nil }
    let json = watched.verdict.json
    let who = json.member("end")?.text ?? json.member("name")?.text ?? ""
    let text = watched.verdict.text
    return text.isEmpty ? nil : Verdict(code: watched.verdict.code, text: text, who: who)
  }

  private final class Answer: Sendable {
    let arrived = DispatchSemaphore(value: 0)
    let rows = Mutex<[String]>([])
  }
}
