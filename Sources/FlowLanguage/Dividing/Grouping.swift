/// One part for each key.
final class Grouping: Division {
  private let most: Int
  private let stage: String
  private let key: (Value) throws(PipelineFailure) -> Value
  private var parts: [String: Part] = [:]

  init(most: Int, stage: String, key: @escaping (Value) throws(PipelineFailure) -> Value) {
    self.most = most
    self.stage = stage
    self.key = key
  }

  func start(open: @escaping (Part) -> Void, close: @escaping (Part) -> Void) {}

  func part(for value: Value) throws(PipelineFailure) -> (part: Part, isNew: Bool, isLast: Bool) {
    let key = try key(value)
    let text = key.canonicalText
    if let part = parts[text] { return (part, false, false) }
    guard parts.count < most else {
      throw PipelineFailure(
        .fault("there are more than \(most) keys (maxGroups:)"),
        stage: stage,
        value: value
      )
    }
    let part = Part(key: key)
    parts[text] = part
    return (part, true, false)
  }

  func stop() { parts = [:] }
}

extension Value {
  /// A text that equal values share.
  fileprivate var canonicalText: String {
    switch decoded {
    case .double(let number):
      return Int(exactly: number).map(String.init) ?? String(number)
    case .array(let elements):
      return "[" + elements.map(\.canonicalText).joined(separator: ",") + "]"
    case .object(let object):
      let members = object.effective.sorted { $0.key < $1.key }
      return "{"
        + members.map { "\(Value.string($0.key)):\($0.value.canonicalText)" }
        .joined(separator: ",") + "}"
    case let value: return value.withOctets { String(decoding: $0, as: UTF8.self) }
    }
  }
}
