import FlowFiles
import FlowWire

/// The definitions of a session, as a file for a server.
struct SessionFile {
  struct Entry: Equatable {
    let name: String
    let line: String
  }

  /// The file that is being written.
  var saving: Saving?
  private(set) var entries: [Entry] = []
  /// Older definitions that these read.
  private var older: [String: String] = [:]

  mutating func record(_ command: Command, _ line: String) {
    switch command {
    case .subject(let name, _), .pipeline(let name, _), .run(let name, _, _, _):
      guard !entries.contains(where: { $0.name == name }) else { return }
      entries.append(Entry(name: name, line: line))
    case .delete(let name, nil): entries.removeAll { $0.name == name }
    default: break
    }
  }

  mutating func record(older name: String, _ line: String) { older[name] = line }

  /// Returns the names of the server that are mentioned but not yet defined.
  func missing(_ names: KnownNames) -> [String] {
    let lines = entries.map(\.line) + older.values
    let mentioned = Set(lines.flatMap(Self.words)).filter(names.contains)
    return mentioned.subtracting(entries.map(\.name)).subtracting(older.keys).sorted()
  }

  /// Returns the words of a line that may be names.
  private static func words(_ line: String) -> [String] {
    line.split { !($0.isLetter || $0.isNumber || "_-/$".contains($0)) }.map(String.init)
  }

  /// The text of the file; each name precedes its readers.
  var text: String {
    var lines: [String] = []
    var done: Set<String> = []
    func add(_ name: String, _ line: String) {
      guard done.insert(name).inserted else { return }
      for word in Self.words(line) {
        if let other = older[word] { add(word, other) }
      }
      lines.append(line)
    }
    for entry in entries { add(entry.name, entry.line) }
    return lines.map { "\($0)\n" }.joined()
  }

  var finding: Finding? { Definitions(Script(text, name: "session")).errors.first }
}
