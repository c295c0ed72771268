import Programs

/// A command's row in the table for parsing, completion and `--help`.
struct VerbEntry: Sendable {
  enum Operand: String {
    case subject, source, name
    case nothing
  }

  /// Its heading in `--help`.
  enum Group: String, CaseIterable {
    case values = "Send and read values"
    case look = "See what is there, and who holds up whom"
    case define = "Create, change and end what the server has"
    case files = "Work with .flow files"
    case server = "Test a server"
    case help = "Help"
  }

  /// The name and the operands.
  let usage: String
  let name: String
  let operands: String
  let group: Group
  let summary: String
  /// A paragraph shown only in its own help.
  let remark: String
  let operand: Operand
  /// The allowed words of the first operand.
  let words: [String]
  /// Its own options, besides the general ones.
  let options: [OptionEntry]
  /// The values of `-o`.
  let forms: [String]
  /// Complete shell commands.
  let examples: [String]
  let request: @Sendable ([ClientOption], CommandWords) throws(UsageError) -> any ClientCommand

  /// `request` is the command's state before its options and other words are read.
  init<Request: ClientCommand>(
    _ request: Request,
    usage: String,
    group: Group,
    summary: String,
    remark: String = "",
    operand: Operand = .nothing,
    words: [String] = [],
    options: [CommandOption<Request>] = [],
    forms: [String] = ["text", "json"],
    examples: [String]
  ) {
    self.usage = usage
    name = String(usage.prefix { $0 != " " })
    operands = String(usage.dropFirst(name.count + 1))
    self.group = group
    self.summary = summary
    self.remark = remark
    self.operand = operand
    self.words = words
    self.options = options.map(\.entry)
    self.forms = forms
    self.examples = examples
    self.request = { given, words throws(UsageError) in
      var request = request
      for option in given {
        let row = options.first { $0.entry.name == option.name }
        try row?.apply(&request, option)
      }
      try request.read(words)
      return request
    }
  }

  func option(_ name: OptionName) -> OptionEntry? { options.first { $0.name == name } }

  /// The general options with their meaning in this command.
  var generalOptions: [OptionEntry] {
    OptionTable.generalEntries.map { entry in
      guard entry.name == "output" else { return entry }
      let rest = forms.dropLast().joined(separator: ", ")
      let isRecords = forms.contains("json") && !["top", "bench"].contains(name)
      return entry.with("\(rest) or \(forms.last ?? "")" + (isRecords ? " (an object a line)" : ""))
    }
  }
}

/// The commands, in the order of the help.
enum VerbTable {
  static let all: [VerbEntry] = [
    SendRequest.entry, SubscribeRequest.entry, SubscribeRequest.tapEntry, MarbleRequest.entry,
    ServeRequest.entry, LineRequest.list, LineRequest.show, ExplainRequest.entry,
    StatsRequest.entry, TopRequest.entry, HelpRequest.entry, LineRequest.subject,
    LineRequest.pipeline, LineRequest.run, LineRequest.delete, LineRequest.kill, LineRequest.ping,
    CheckRequest.entry, LintRequest.entry, TestRequest.entry, FormatRequest.entry,
    GraphRequest.entry, ApplyRequest.entry, CompletionRequest.entry, VersionRequest.entry,
    BenchCommand.entry,
  ]

  static func entry(_ word: String) -> VerbEntry? {
    all.first { $0.name == word.lowercased() }
  }
}
