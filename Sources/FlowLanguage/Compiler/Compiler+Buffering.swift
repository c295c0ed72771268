import FlowCore

extension Compiler {
  func buffer(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 0)
    let size = try integer(arguments.required("size"), atLeast: 0, in: scope)
    let prefetch = try prefetch(arguments.required("prefetch"))
    let whenFull = try whenFull(arguments.required("whenFull"), in: scope)
    return call.source { [number = call.number] (upstream, frame, context) throws(Trouble) in
      let size = try size(&frame)
      let strategy = try whenFull.strategy(&frame)
      let reason = whenFull.reason
      let held = HeldValues(of: "buffer", in: context.holdings)
      let counter = number.counter(in: context)
      return Bypass(upstream: upstream, inside: .values(held), counter: counter) { entrance, exit in
        entrance.buffer(size: size, prefetch: prefetch, whenFull: strategy) { value in
          held.leave(value)
          counter?.drop(1)
          context.dropped(1, reason)
        }
        .receive(subscriber: exit)
      }
      .eraseToAnyPublisher()
    }
  }

  private func prefetch(_ syntax: Syntax) throws(Diagnostic) -> Publishers.PrefetchStrategy {
    switch syntax.lastName?.text {
    case "keepFull": return .keepFull
    case "byRequest": return .byRequest
    default:
      throw .unknown(
        "prefetch",
        text(syntax.range),
        at: syntax.range,
        among: [".keepFull", ".byRequest"],
        instead: "there are .keepFull and .byRequest"
      )
    }
  }

  private typealias Strategy = Publishers.BufferingStrategy<PipelineFailure>

  private func whenFull(
    _ syntax: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> (strategy: (inout Frame) throws(Trouble) -> Strategy, reason: DropReason)
  {
    switch syntax.lastName?.text {
    case "dropNewest": return ({ (_) throws(Trouble) in .dropNewest }, .bufferNewest)
    case "dropOldest": return ({ (_) throws(Trouble) in .dropOldest }, .bufferOldest)
    default: break
    }
    guard case .call(let callee, let arguments) = syntax.kind,
      callee.lastName?.text == "customError", arguments.count == 1
    else {
      throw .unknown(
        "strategy",
        text(syntax.range),
        at: syntax.range,
        among: [".dropNewest", ".dropOldest", ".customError(\"text\")"],
        instead: "there are .dropNewest, .dropOldest and .customError(\"text\")"
      )
    }
    let message = try failureText(arguments[0].value, in: scope)
    return (
      { (frame) throws(Trouble) in
        let failure = PipelineFailure(code: "stage", message: try message(&frame).plainText)
        return .customError { failure }
      }, .bufferNewest
    )
  }

  mutating func log(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    prints = true
    let arguments = try call.arguments(unlabelled: 1)
    let label = try arguments.unlabelled.first.map { (syntax) throws(Diagnostic) in
      try values.compile(syntax, in: scope)
    }
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let label = try label?(&frame).plainText ?? ""
      return try upstream(&frame, context).print(label, to: Log(context)).eraseToAnyPublisher()
    }
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
