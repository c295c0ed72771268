internal import FlowCore
internal import FlowLanguage
public import FlowWire

/// A pipeline to be tried in virtual time: what goes in, what is asked for, and what names stand for.
///
/// A trial is a pure function. It plays as a `test` of a file does, and keeps nothing.
public struct Trial: Sendable {
  /// The pipeline's text, over any number of lines.
  public var expression: String
  /// What the pipeline is called in a file of the tape, if nothing else is called so.
  public var name: String?
  /// How long a tick is, in milliseconds: 1 to 10,000.
  public var tick = 100
  /// How many ticks there are: 1 to 1,000.
  public var ticks = 300
  /// Lines as in a test, which in one tick come in this order.
  ///
  /// `NAME MARBLES` is sent to a subject, `serve NAME { … }` answers the calls of a service.
  public var rows: [String] = []
  /// What the subscriber asks for, as behind `⇠` in a test.
  public var ask = "u"
  /// What names of the server stand for: `look(up:)` finds those that matter.
  public var known: [String: Known] = [:]
  /// All names of the server, for suggestions.
  public var names: [String] = []
  public var limits = Limits()

  /// What a name of the server stands for.
  public enum Known: Equatable, Sendable {
    case subject(SubjectSettings)
    /// By its text, which is compiled anew.
    case pipeline(String)
    case run(target: String)
  }

  /// How much a trial may do.
  public struct Limits: Sendable {
    /// Values, subscriptions and steps of sources.
    public var steps = 100_000
    /// By the clock that `run` is given, in nanoseconds.
    public var time: UInt64 = 50_000_000
    /// Of the expression, of each row and of `ask`.
    public var bytes = 65_536
    public var rows = 256
    /// Of what the pipeline sends to its subscriber and asks services, in bytes.
    public var output = 16 << 20
    /// What the tape has for each stage.
    public var eventsPerStage = 4_096
    /// Of a value in the tape.
    public var characters = 60

    /// The limits of a server.
    public init() {}
  }

  /// A trial of `expression`, of which nothing is sent and all is asked.
  public init(_ expression: String) { self.expression = expression }

  /// Tries the pipeline.
  ///
  /// - Parameter clock: the time in nanoseconds, best the thread's processor time; it bounds what
  ///   the trial takes, and changes nothing in the tape.
  /// - Returns: what each stage did.
  /// - Throws: what is wrong with the expression or a row, or what there is too much of.
  public func run(clock: @escaping () -> UInt64) throws(TrialError) -> Tape {
    try checkLimits()
    var cast = TrialCast(self)
    let (pipeline, test, scene) = try cast.prepare()
    let recorder = TapeRecorder(pipeline, named: test.name, tick: test.tick, limits, clock)
    let got = try play(test, in: scene, recorder)
    return Tape(
      trial: self,
      test: test,
      definitions: cast.definitions(for: pipeline),
      got: got,
      recorder: recorder
    )
  }

  private func play(
    _ test: MarbleTest,
    in scene: MarbleScene,
    _ recorder: TapeRecorder
  ) throws(TrialError) -> MarbleOutcome {
    defer { recorder.close() }
    let outcome = test.play(in: scene, recordedBy: recorder)
    switch outcome.stop {
    case nil: return outcome
    case .endless, .tooManyEvents, .stopped:
      let what =
        switch recorder.excess {
        case .time: "took more than \(limits.time / 1_000_000) ms"
        case .bytes: "sent more than \(limits.output) bytes"
        case .steps, nil: "did more than \(limits.steps) steps"
        }
      throw TrialError("the pipeline \(what); \(Self.advice)")
    }
  }

  private static let advice = "ask for less, send less, or limit a source with prefix(3)"

  private func checkLimits() throws(TrialError) {
    func check(_ number: Int, _ range: ClosedRange<Int>, _ name: String) throws(TrialError) {
      guard !range.contains(number) else { return }
      throw TrialError(
        "\(name) is \(number), expected a number from \(range.lowerBound) to \(range.upperBound)"
      )
    }
    try check(tick, 1...10_000, "tick")
    try check(ticks, 1...1_000, "ticks")
    guard rows.count <= limits.rows else { throw TrialError("more than \(limits.rows) rows") }
    for (name, text) in [("the expression", expression), ("ask", ask)] + rows.map({ ("a row", $0) })
    where text.utf8.count > limits.bytes {
      throw TrialError("\(name) has more than \(limits.bytes) bytes")
    }
  }
}
