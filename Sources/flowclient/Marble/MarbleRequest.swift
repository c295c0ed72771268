import FlowWire
import Programs

/// The settings of `marble NAME`.
struct MarbleRequest: ClientCommand {
  var name = ""
  var isASCII = false
  /// A file in which what came in and went out is a test.
  var file: String?
  var length: Duration?

  static let entry = VerbEntry(
    MarbleRequest(),
    usage: "marble NAME",
    group: .look,
    summary: "draw what goes in and out as it happens; q quits",
    operand: .name,
    options: [
      .ascii(\.isASCII),
      .value(
        "save",
        .text("FILE"),
        "write a .flow file with a test of what was seen, which passes",
        \.file
      ),
      .length(\.length),
    ],
    examples: [
      "flowclient marble totals", "flowclient marble totals --for 10s --save totals.flow",
    ]
  )

  mutating func read(_ words: CommandWords) throws(UsageError) {
    guard words.operands.count == 1, Name.isReadable(words.operands[0]) else {
      throw UsageError(
        "marble needs the NAME of a pipeline, run or subject",
        advice: words.example
      )
    }
    name = words.operands[0]
  }

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    try await Marbling(request: self, session: session).run()
  }
}
