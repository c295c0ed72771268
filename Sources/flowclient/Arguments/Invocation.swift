import FlowFiles

/// What the command line asks for.
struct Invocation: Equatable {
  var server = ServerPlace.usual
  /// Whether somebody has said which server.
  var namesServer = false
  var tokenFile: String?
  var output = OutputForm.text
  /// How values are printed, if `--format` says so.
  var valueForm: ValueFormat.Form?
  /// Whether a NUL ends each value that is printed.
  var endsWithNull = false
  var isQuiet = false
  var isVerbose = false
  var traces = false
  var color = ColorChoice.auto
  var action = Action.converse
}

enum OutputForm: String, CaseIterable {
  case text, raw, json
}

enum ColorChoice: String, CaseIterable {
  case auto, always, never
}

enum Action: Equatable {
  case send(SendRequest)
  case subscribe(SubscribeRequest)
  case marble(MarbleRequest)
  case serve(ServeRequest)
  case check(CheckRequest)
  case top(TopRequest)
  case stats(StatsRequest)
  /// One line of the protocol, as it would be typed.
  case line(String)
  /// Lines of the protocol from standard input.
  case converse
  /// The help on one command or `ClientTopic`, or on all commands.
  case help(String?)
  case version
  case lint(LintRequest)
  /// Play the tests of files.
  case test(TestRequest)
  /// Lay files out anew, or only say which of them are not laid out so.
  case format([String], isCheck: Bool)
  case explain(ExplainRequest)
  case graph(ExplainRequest, Graph.Form)
  /// Make a server match a file, or only say what that would change.
  case apply(String, isDryRun: Bool, isForced: Bool)
  case completion(Completion)
  /// The names of the server that may stand for an operand, for the completion in a shell.
  case names(VerbEntry.Operand)
  case bench(BenchRequest)
}

extension Action {
  /// Whether it may ask a server.
  var asksServer: Bool {
    switch self {
    case .help, .version, .lint, .test, .format, .graph, .completion, .explain(.file): false
    case .explain(.expression), .send, .subscribe, .marble, .serve, .check, .top, .stats, .line,
      .converse, .apply, .names, .bench:
      true
    }
  }
}

/// What is asked about: a file, or an expression.
enum ExplainRequest: Equatable {
  case file(String)
  case expression(String)
}

struct TestRequest: Equatable {
  var files: [String]
  /// How long a test may take; nil: longer than any does.
  var limit: Duration?
}

/// What the options say of files.
struct FileOptions {
  var limit: Duration?
  var lint = LintRequest()
  var graph = Graph.Form.text
  var isCheck = false
  var isDryRun = false
  var isForced = false
}

struct LintRequest: Equatable {
  enum Form: String, CaseIterable {
    case text, github, json
  }

  var files: [String] = []
  var form = Form.text
  var isStrict = false
}

struct SendRequest: Equatable {
  var name: String
  /// Empty: the values come from files or standard input.
  var values: [String] = []
  /// Each is a value; `-` is standard input.
  var files: [String] = []
  /// What comes in is cut into values of so many bytes; `nil`: into lines, and a file not at all.
  var chunk: UInt64?
  /// Whether the subject is completed behind the last value.
  var endsSubject = false
  /// Whether the exit code is 1 if a subscriber missed a value, or a value found no subscriber.
  var failsOnMiss = false
  /// How often the value is sent, with its number for `{n}`; `nil`: once, as it is.
  var count: UInt64?
  /// Values a second; `nil`: as many as are granted.
  var rate: Double?
  var form = Form.text
  /// Whether a NUL ends a value, and not a line end.
  var endsWithNull = false
  var timeout: Duration?

  /// What standard input is made of.
  enum Form: String, CaseIterable {
    /// Lines, each a value.
    case text
    /// One value.
    case raw
    /// Records whose fields are the members of a value each.
    case csv
    /// Lines of JSON, each a value.
    case ndjson
    /// Lines with an object each that has a value in it.
    case json
  }
}

/// Whether a server is well, and a name of it works.
struct CheckRequest: Equatable {
  var name: String?
  /// An answer that takes longer is a warning.
  var patience = Duration.seconds(1)
  /// An answer that takes longer is none.
  var timeout = Duration.seconds(5)
}

/// Which metrics are shown, and how.
struct StatsRequest: Equatable {
  /// A name or a pattern; nil: the server.
  var name: String?
  var form = Form.text

  enum Form: String, CaseIterable {
    case text, prometheus, json
  }
}

struct ServeRequest: Equatable {
  var name: String
  /// How many calls are answered at a time; `nil`: as many as there are cores.
  var jobs: Int?
  /// The words of the command, with `{}` for the value.
  var command: [String]
}

/// What is drawn as lanes: `marble NAME`.
struct MarbleRequest: Equatable {
  var name: String
  var isASCII = false
  /// A file in which what came in and went out is a test.
  var file: String?
  var length: Duration?
}

/// A name, and the number of one of its stages.
struct TapPlace: Equatable {
  var name: String
  var stage: Int?
}

struct SubscribeRequest: Equatable {
  /// How much is asked for ahead of what is printed.
  enum Window: Equatable {
    case upTo(UInt64)
    case unlimited
  }

  var expression: String
  var count: UInt64?
  var window: Window?
  var durable: String?
  var delay: Duration?
  var length: Duration?
  var timeout: Duration?
  var isManual = false
  /// Where it only looks on, if it does.
  var tap: TapPlace?
}
