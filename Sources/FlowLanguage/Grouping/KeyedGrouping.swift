/// One group for each key.
final class KeyedGrouping: Grouping {
  private let most: Int
  private let stage: String
  /// The keys that there are.
  private let keys: HeldValues
  private let key: (Incoming) throws(PipelineFailure) -> Value
  private var groups: [Key: Group] = [:]

  init(
    most: Int,
    stage: String,
    keys: HeldValues,
    key: @escaping (Incoming) throws(PipelineFailure) -> Value
  ) {
    self.most = most
    self.stage = stage
    self.keys = keys
    self.key = key
  }

  func start(open: @escaping (Group) -> Void, close: @escaping (Group) -> Void) {}

  func group(
    for input: Incoming
  ) throws(PipelineFailure) -> (group: Group, isNew: Bool, isLast: Bool) {
    let key = try key(input)
    let text = Key(key.canonicalText)
    if let group = groups[text] { return (group, false, false) }
    guard groups.count < most else {
      throw PipelineFailure(
        .fault("more than \(most) keys (maxGroups:)"),
        stage: stage,
        value: input.value
      )
    }
    // As a value, and as the text that tells it from others.
    try keys.hold(key.footprint + Extent.header + text.text.utf8.count)
    let group = Group(key: key)
    groups[text] = group
    return (group, true, false)
  }

  func stop() {
    groups = [:]
    keys.clear()
  }
}

extension Value {
  /// A text that equal values share.
  var canonicalText: String {
    switch decoded {
    case .double(let number):
      if let number = Int(exactly: number) { return "\(number)" }
      if let number = UInt(exactly: number) { return "\(number)" }
      return "\(number)"
    case .array(let elements):
      return "[" + elements.map(\.canonicalText).joined(separator: ",") + "]"
    case .object(let object):
      let members = object.effective.sorted { $0.key.precedes($1.key) }
      return "{"
        + members.map { "\(Value.string($0.key)):\($0.value.canonicalText)" }
        .joined(separator: ",") + "}"
    case let value: return unsafe value.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}
