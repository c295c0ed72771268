internal import FlowLanguage

extension Tape {
  /// The tape as the page reads it.
  public var json: String { json(testUntil: nil) }

  /// The same, with what happens in the first `count` ticks as a file with a test.
  public func json(testUntil count: Int?) -> String {
    var members: [(String, Value)] = [("tick", .int(tick)), ("ticks", .int(ticks))]
    if let end {
      let word = end.failure == nil ? "done" : "failed"
      members.append(("end", .list([.int(end.tick), .string(word)] + end.code)))
      if let failure = end.failure { members.append(("failure", .string(failure.message))) }
    }
    members.append(("stages", .list(stages.map(\.value))))
    if !inner.isEmpty { members.append(("inner", .list(inner.map(\.value)))) }
    if !calls.isEmpty {
      let calls = calls.map { service, values in
        Value.members([("service", .string(service)), ("asked", .list(values.map(\.value)))])
      }
      members.append(("calls", .list(calls)))
    }
    if let count { members.append(("test", .string(testFile(until: max(1, count))))) }
    return Value.members(members).json
  }
}

extension TrialError {
  /// The error as the page reads it: `column` and `length` count the characters of all the text.
  public var json: String { Value.members([("error", value)]).json }

  private var value: Value {
    var members: [(String, Value)] = []
    if let place {
      members += [
        ("column", .int(place.column)), ("line", .int(place.line)),
        ("columnInLine", .int(place.columnInLine)), ("length", .int(place.length)),
      ]
    }
    if let row { members.append(("row", .string(row))) }
    members.append(("text", .string(text)))
    if !others.isEmpty { members.append(("others", .list(others.map(\.value)))) }
    return .members(members)
  }
}

extension Tape.End {
  fileprivate var code: [Value] { failure.map { [.string($0.code)] } ?? [] }
}

extension Tape.Stage {
  fileprivate var value: Value {
    var members: [(String, Value)] = [("text", .string(text)), ("op", .string(op))]
    switch holds {
    case .values(0): break
    case .values(let count): members.append(("holds", .int(count)))
    case .unknown: members.append(("holds", .null))
    }
    if let publisherLimit { members.append(("publishers", .int(publisherLimit))) }
    if let place {
      members += [
        ("in", .int(place.stage)), ("branch", .int(place.branch)), ("begun", .int(place.begun)),
        ("finished", .int(place.finished)),
      ]
    }
    members.append(("out", .list(out.map(\.value))))
    members.append(("dropped", .list(dropped.map(\.value))))
    members.append(("state", .list(state.map(\.value))))
    if isCut { members.append(("cut", .bool(true))) }
    return .members(members)
  }
}

extension Tape.Event {
  fileprivate var value: Value { .list([.int(tick), .string(text)]) }
}

extension Tape.State {
  fileprivate var value: Value {
    .list([.int(tick), .int(held), .int(publishers), asked.map(Value.int) ?? .string("max")])
  }
}

extension Value {
  fileprivate static func list(_ elements: [Value]) -> Value { .array(JSONArray(elements)) }

  fileprivate static func members(_ members: [(String, Value)]) -> Value {
    .object(JSONObject(members: members.map { .init(key: $0.0, value: $0.1) }))
  }

  fileprivate var json: String {
    unsafe withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
