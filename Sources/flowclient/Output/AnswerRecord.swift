import FlowLanguage
import FlowWire

/// The effect of a command, as an object of JSON: `{"ok":"delete","name":"orders"}`.
enum AnswerRecord {
  /// The object for an answer that tells of something done; nil for one that only ends rows or values.
  static func json(_ answer: Answer) -> String? {
    switch answer {
    case .subject(let name, let settings):
      object(.subject, ("name", text(name)), ("settings", text("\(settings)")))
    case .pipeline(let name, let stages):
      object(.pipeline, ("name", text(name)), ("stages", "\(stages)"))
    case .plain(let verb, let name?) where verb == .run || verb == .delete:
      object(verb, ("name", text(name)))
    case .kill(.client(let number), _): object(.kill, ("client", "\(number)"))
    case .kill(.stream(let number, let id), _):
      object(.kill, ("client", "\(number)"), ("stream", "\(id)"))
    case .kill(.name(let name), let ended):
      object(.kill, ("name", text(name)), ("ended", ended.map { "\($0)" } ?? "null"))
    case .send(let name, let to, let missed):
      object(.send, ("name", text(name)), ("to", "\(to)"), ("missed", "\(missed)"))
    case .stored(let name, let sequence):
      object(.send, ("name", text(name)), ("seq", sequence.map { "\($0)" } ?? "null"))
    case .completed(let verb, let target, _): object(verb, ("name", text("\(target)")))
    default: nil
    }
  }

  private static func object(_ verb: Verb, _ members: (String, String)...) -> String {
    JSONLine.object([("ok", text(verb.rawValue.lowercased()))] + members)
  }

  private static func text(_ text: String) -> String { JSONText.string(text) }
}
