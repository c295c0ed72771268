/// A line that is for the client itself: it begins with a colon.
enum ReplCommand: Equatable {
  case pause, resume, help, quit
  /// Whether it is switched on; `nil` toggles.
  case trace(Bool?)
  case save(String, replaces: Bool)

  struct Entry {
    let name: String
    let operand: String
    let summary: String
  }

  static let table = [
    Entry(name: ":pause", operand: "", summary: "holds values back and counts them"),
    Entry(name: ":resume", operand: "", summary: "shows what was held back, and goes on"),
    Entry(
      name: ":trace",
      operand: "[on|off]",
      summary: "shows each line that goes out or comes in"
    ),
    Entry(
      name: ":save",
      operand: "FILE",
      summary: "writes what this session has defined; :save! replaces a file"
    ),
    Entry(name: ":help", operand: "", summary: "lists these commands and the keys"),
    Entry(
      name: ":quit",
      operand: "",
      summary: "leaves at once, as exit, quit and control-D on an empty line do"
    ),
  ]

  struct Refusal: Error, Equatable {
    let text: String
  }

  init(_ line: String) throws(Refusal) {
    let words = line.split(maxSplits: 1) { $0.isWhitespace }.map(String.init)
    let operand = words.count > 1 ? words[1].trimmingBlanks : ""
    let name = (words.first ?? "").lowercased()
    switch name {
    case ":save", ":save!":
      guard !operand.isEmpty else {
        throw Refusal(text: ":save needs the name of a file, as in :save shop.flow")
      }
      self = .save(operand, replaces: name == ":save!")
      return
    case ":trace":
      switch operand {
      case "": self = .trace(nil)
      case "on": self = .trace(true)
      case "off": self = .trace(false)
      default: throw Refusal(text: ":trace takes on, off or nothing, found \"\(operand)\"")
      }
      return
    case ":pause": self = .pause
    case ":resume": self = .resume
    case ":help": self = .help
    case ":quit", ":q", ":exit": self = .quit
    default:
      let names = Self.table.map(\.name).joined(separator: ", ")
      throw Refusal(text: "unknown command \"\(name)\"; there are \(names)")
    }
    guard operand.isEmpty else {
      throw Refusal(text: "\(name) takes nothing, found \"\(operand)\"")
    }
  }

  /// Whether a line is `exit` or `quit`, which people type to leave and the protocol does not have.
  static func isExit(_ line: String) -> Bool {
    ["exit", "quit"].contains(line.trimmingBlanks.lowercased())
  }

  static func operands(of name: String) -> [Completer.Proposal] {
    name == ":trace" ? [Completer.Proposal("on"), Completer.Proposal("off")] : []
  }

  /// Returns the output of `:help`, at most `columns` wide.
  static func helpLines(_ columns: Int) -> [String] {
    let keys = [
      (
        "+", "on an empty line: one more value of the last stream; 5+ five, * all, 2:5+ of stream 2"
      ),
      ("Tab", "completes verbs, names, operators, labels, and members of values seen"),
      (
        "Enter", "sends the line; inside brackets it begins a further one, as Alt-Enter always does"
      ),
      ("control-R", "searches older lines; again: an older one"),
      (
        "control-C",
        "drops the line; on an empty one it stops the values that come, and cancels their streams"
      ),
    ]
    let rows = table.map { ("\($0.name) \($0.operand)".trimmingBlanks, $0.summary) } + keys
    let width = rows.map(\.0.count).max() ?? 0
    let first = "every other line goes to the server; HELP lists its commands"
    return DisplayText.fold(first, to: columns)
      + rows.flatMap { name, text in
        let line = DisplayText.pad(name, to: width + 2) + text
        return DisplayText.fold(line, to: columns, indent: width + 2)
      }
  }
}

extension String {
  var trimmingBlanks: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }),
      let last = lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(self[first...last])
  }
}
