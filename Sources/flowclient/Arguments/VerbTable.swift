import Programs

/// One command: a row of the table that feeds parsing, completion and `--help`.
struct VerbEntry: Sendable {
  /// The kind of the first operand, for completion.
  enum Operand: String {
    /// Names that the server knows.
    case subject, source, name
    case nothing
  }

  /// The heading in `--help` that it stands below.
  enum Group: String, CaseIterable {
    case values = "Send and read values"
    case look = "See what is there, and who holds up whom"
    case define = "Create, change and end what the server has"
    case files = "Work with .flow files"
    case server = "Test a server"
    case help = "Help"
  }

  /// The name, and the operands behind it.
  let usage: String
  let name: String
  let operands: String
  let group: Group
  let summary: String
  /// A paragraph that only its own help shows.
  let remark: String
  let operand: Operand
  /// The words that may stand there.
  let words: [String]
  /// The options that go with it, besides the general ones.
  let options: [OptionEntry]
  /// The values of `-o`.
  let forms: [String]
  /// Lines that work as they stand, in a shell.
  let examples: [String]
  /// Makes a request of the options and the other words of a command line.
  let request: @Sendable ([ClientOption], CommandWords) throws(UsageError) -> any ClientCommand

  /// `request` is what the command asks for before its options and other words are read.
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

  /// The general options with what they mean here.
  var generalOptions: [OptionEntry] {
    OptionTable.generalEntries.map { entry in
      guard entry.name == "output" else { return entry }
      let rest = forms.dropLast().joined(separator: ", ")
      let isRecords = forms.contains("json") && !["top", "bench"].contains(name)
      return entry.with("\(rest) or \(forms.last ?? "")" + (isRecords ? " (an object a line)" : ""))
    }
  }
}

/// The commands, in the order of their help.
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
