import FlowLanguage

/// Objects of JSON, each on one line.
enum JSONLine {
  /// An object whose members are texts.
  static func texts(_ texts: [(key: String, text: String)]) -> String {
    object(texts.map { (key: $0.key, json: JSONText.string($0.text)) })
  }

  /// An object whose members are JSON.
  static func object(_ members: [(key: String, json: String)]) -> String {
    let texts = members.map { "\(JSONText.string($0.key)):\($0.json)" }
    return "{\(texts.joined(separator: ","))}"
  }
}
