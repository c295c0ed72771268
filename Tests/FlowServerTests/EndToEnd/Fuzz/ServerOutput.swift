import FlowWire

/// The server's output on one connection, parsed as a client would.
struct ServerOutput {
  /// All lines except value frames, from the greeting on.
  private(set) var lines: [TaggedServerLine] = []
  /// The values and the end of each stream, by its id.
  private(set) var streams: [String: [String]] = [:]
  /// Lines that do not follow the protocol.
  private(set) var nonsense: [String] = []

  init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while let end = rest.firstIndex(of: 10) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      if line.hasPrefix("= ") || line.hasPrefix(": ") {
        value(line, &rest)
      } else {
        signal(line)
      }
    }
    if !rest.isEmpty { nonsense.append("half a line: \(String(decoding: rest, as: UTF8.self))") }
  }

  private mutating func value(_ line: String, _ rest: inout ArraySlice<UInt8>) {
    let fields = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    let id = String(fields[1])
    let isID = id.split(separator: ".").allSatisfy { UInt64($0) != nil }
    if line.hasPrefix("="), isID {
      streams[id, default: []].append(fields.count > 2 ? String(fields[2]) : "")
    } else if isID, fields.count == 3, let length = Int(fields[2]), rest.count > length,
      rest[rest.startIndex + length] == 10
    {
      streams[id, default: []].append(String(decoding: rest.prefix(length), as: UTF8.self))
      rest = rest.dropFirst(length + 1)
    } else {
      nonsense.append(line)
    }
  }

  private mutating func signal(_ text: String) {
    guard let tagged = try? TaggedServerLine(text) else { return nonsense.append(text) }
    lines.append(tagged)
    switch tagged.line {
    case .done(let id): streams["\(id)", default: []].append("DONE")
    case .fail(let id, let code, _): streams["\(id)", default: []].append("FAIL \(code)")
    default: break
    }
  }

  /// The tag and the beginning of each final answer, without parts that depend on time.
  var answers: [(tag: String?, text: String)] {
    lines.filter { $0.tag != "!" }.compactMap { line in
      switch line.line {
      case .ok(let answer): (line.tag, "OK \(answer.text.prefix { $0 != " " })")
      case .error(let code, _): (line.tag, "ERR \(code)")
      case .pong: (line.tag, "PONG")
      default: nil
      }
    }
  }

  /// The code of the server's BYE, if it ended the conversation.
  var farewell: String? {
    lines.lazy.compactMap { if case .bye(let code, _) = $0.line { code } else { nil } }.first
  }
}
