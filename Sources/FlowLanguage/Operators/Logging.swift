import FlowCore

extension OperatorTable {
  static let logging: [OperatorEntry] = [
    stage(
      "print(label)",
      "Logs everything that passes.",
      demand: .same("the same"),
      "taps.print(\"taps\")",
      MarbleExample("taps.print(\"taps\")", ["taps": "1-2-|"], gives: "1-2-|"),
      traits: [.passesAll, .keepsName],
      price: 816,
      compile: Compiler.print
    ),
    stage(
      "log(label)",
      "Logs the subscription, the first request, the 1st, 10th, 100th … value and the end; no values.",
      demand: .same("the same"),
      "taps.log(\"taps\")",
      MarbleExample("taps.log(\"taps\")", ["taps": "1-2-|"], gives: "1-2-|"),
      traits: [.passesAll, .keepsName],
      price: 640,
      compile: Compiler.log
    ),
  ]
}

extension Compiler {
  func print(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let label = try label(of: call, in: scope)
    var stage = call.stage(publishes: call.kinds) {
      (upstream, locals, context) throws(EvaluationError) in
      let label = try label?(&locals).plainText ?? ""
      return upstream.print(label, to: Log(context)).eraseToAnyPublisher()
    }
    stage.mentions = .printing
    return stage
  }

  func log(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let label = try label(of: call, in: scope)
    var stage = call.stage(publishes: call.kinds) {
      (upstream, locals, context) throws(EvaluationError) in
      let prefix = try label.map { (label) throws(EvaluationError) in
        try label(&locals).plainText + ": "
      }
      return Deferred {
        let milestones = Milestones { context.log((prefix ?? "") + $0) }
        return upstream.handleEvents(
          receiveSubscription: { _ in milestones.write("subscribed") },
          receiveOutput: { _ in milestones.count() },
          receiveCompletion: { milestones.end($0) },
          receiveCancel: { milestones.write("cancelled after", counting: true) },
          receiveRequest: { milestones.request($0) }
        )
      }
      .eraseToAnyPublisher()
    }
    stage.mentions = .printing
    return stage
  }

  private func label(of call: StageCall, in scope: Scope) throws(Diagnostic) -> Evaluation? {
    try call.arguments(unlabelled: 1).unlabelled.first.map { (syntax) throws(Diagnostic) in
      try values(in: scope).compile(syntax, in: scope)
    }
  }

  /// What there is to tell of a subscription without its values: few lines, however many pass.
  private final class Milestones {
    private let line: (String) -> Void
    private var values = 0
    private var next = 1
    private var isAsked = false

    init(_ line: @escaping (String) -> Void) { self.line = line }

    func write(_ text: String, counting: Bool = false) {
      line(counting ? "\(text) \(counted)" : text)
    }

    func request(_ demand: Subscribers.Demand) {
      guard !isAsked, demand > .none else { return }
      isAsked = true
      line("first request: \(demand.max.map(String.init) ?? "unlimited")")
    }

    func count() {
      values &+= 1
      guard values == next else { return }
      next = next.multipliedReportingOverflow(by: 10).partialValue
      line(counted)
    }

    func end(_ completion: Subscribers.Completion<PipelineFailure>) {
      switch completion {
      case .finished: write("finished after", counting: true)
      case .failure(let failure): write("failed with \(failure.code) after", counting: true)
      }
    }

    private var counted: String { values == 1 ? "1 value" : "\(values) values" }
  }

  /// Hands whole lines to the context.
  private struct Log: TextOutputStream {
    private let context: any PipelineContext
    private var line = ""

    init(_ context: any PipelineContext) { self.context = context }

    mutating func write(_ string: String) {
      line += string
      while let end = line.firstIndex(of: "\n") {
        context.log(String(line[..<end]))
        line.removeSubrange(...end)
      }
    }
  }
}
