import FlowCore

extension OperatorTable {
  static let grouping: [OperatorEntry] = [
    stage(
      "group(by: { value in … }, maxGroups: 1024) { group, key in … }",
      "Passes the publisher of each key's values to the closure, and publishes the results.",
      demand: parts("key", most: "{maxGroups}"),
      "orders.group(by: { $0.customer }) { $0.reduce(0) { $0 + $1.price } }",
      MarbleExample(
        "taps.group(by: { $0 % 2 }) { group, key in group.count().map { [key, $0] } }",
        ["taps": "1234-5|"],
        gives: "------['[1,3]''[0,2]'|]"
      ),
      traits: [.isCostly, .opensMany, .seesName],
      price: StagePrice(1424, branches: .asOpened),
      compile: Compiler.group
    ),
    stage(
      "window(count) { window, start in … }, window(.seconds(number)) { window, start in … }, "
        + "window(count, every: count) { window in … } or "
        + "window(.seconds(number), every: .seconds(number)) { window in … }",
      "Passes the publisher of each window to the closure, and publishes the results; with every, "
        + "windows overlap, and without a closure they are arrays.",
      demands: slidingWindows + [parts("window", most: "unlimited")],
      "orders.window(.seconds(1)) { $0.reduce(0) { $0 + $1.price } }",
      MarbleExample(
        "taps.window(.seconds(3)) { $0.reduce(0) { $0 + $1 } }",
        ["taps": "-12-----4-|"],
        gives: "---3--0--4[0|]"
      ),
      also: [
        MarbleExample("taps.window(3) { $0.sum() }", ["taps": "12-34-5-|"], gives: "---6----[9|]")
      ] + slidingMarbles,
      traits: [.isCostly, .opensMany],
      price: StagePrice(2688, branches: .asOpened),
      compile: Compiler.window
    ),
  ]

  private static func parts(_ part: String, most: String) -> StageDemand {
    StageDemand(
      asks: .oneByOne("1 at a time"),
      holds: .each(most),
      full: "requests nothing until the publisher of that \(part) does",
      ends: "after the last publisher; at once with a failure",
      makesValues: true
    )
  }
}

extension Compiler {
  /// How many keys `group` takes if nothing is said.
  private static let groups = 1024

  /// `group(by: key, maxGroups: n) { group, key in … }`.
  func group(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 1)
    let key = try function(keySyntax(arguments.required("by")), of: call, arity: 1, in: scope)
    let most = try arguments.labelled("maxGroups").map { (syntax) throws(Diagnostic) in
      try integer(syntax, atLeast: 1, atMost: Self.mostHeld, in: scope)
    }
    let (make, made) = try parts(arguments, of: call, key: key.kinds, in: scope)
    let stage = call.text
    return call.stage(publishes: made.kinds, below: [made]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let (outer, most) = (locals.captured, try most?(&locals) ?? Self.groups)
      let (memoryBudget, work) = (context.memoryBudget, context.work)
      let divided = GroupedPublisher(
        upstream: upstream,
        memoryBudget: memoryBudget,
        dropped: number.dropping(in: context),
        leave: number.leavingOut(in: context)
      ) {
        let keys = HeldValues(of: "group", in: memoryBudget)
        return KeyedGrouping(most: most, stage: stage, keys: keys) {
          (input) throws(PipelineFailure) in
          try key.value(outer, input, work)
        }
      }
      return make(divided, outer, number.below(context))
    }
  }

  /// The closure or key path that gives the key of a value, as which `syntax` was written.
  func keySyntax(_ syntax: Syntax) throws(Diagnostic) -> Syntax {
    guard syntax.isFunction else {
      let written = text(syntax.range)
      var suggestion = written.hasPrefix("$") ? "{ \(written) }" : nil
      if case .name = syntax.kind { suggestion = "\\.\(written)" }
      throw Diagnostic(
        "expected a closure or a key path",
        at: syntax.range,
        suggestion: suggestion
      )
    }
    return syntax
  }

  /// `window(100) { … }` and `window(.seconds(1)) { … }`.
  func window(_ call: StageCall, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    let arguments = try call.arguments(unlabelled: 2)
    if let every = arguments.labelled("every") {
      return try slidingWindow(call, arguments, every: every, in: scope)
    }
    guard arguments.unlabelled.count == 2 else {
      throw arguments.missing("a count or a time, and a closure")
    }
    let size = arguments.unlabelled[0]
    let grouping: (inout Locals, any PipelineContext) throws(EvaluationError) -> () -> any Grouping
    if case .call(let callee, _) = size.kind, callee.lastName != nil {
      let time = try time(size, atLeast: Ticks.shortest, in: scope)
      grouping = { (locals, context) throws(EvaluationError) in
        let interval = try time(&locals)
        return { TimedWindows(interval: interval, clock: context.clock, work: context.work) }
      }
    } else {
      try checkNoFraction(size)
      let count = try integer(size, atLeast: 1, in: scope)
      grouping = { (locals, context) throws(EvaluationError) in
        let count = try count(&locals)
        return { CountedWindows(size: count, work: context.work) }
      }
    }
    let (make, made) = try parts(arguments, of: call, key: nil, in: scope)
    return call.stage(publishes: made.kinds, below: [made]) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      let grouping = try grouping(&locals, context)
      return make(
        GroupedPublisher(
          upstream: upstream,
          memoryBudget: context.memoryBudget,
          dropped: number.dropping(in: context),
          leave: number.leavingOut(in: context),
          grouping: grouping
        ),
        locals.captured,
        number.below(context)
      )
    }
  }

  private typealias PartMaker = (GroupedPublisher, Locals.Captured, any PipelineContext) -> Stream

  /// What the closure makes of each part, all at once; its first parameter is a publisher.
  private func parts(
    _ arguments: Arguments,
    of call: StageCall,
    key: Kinds?,
    in scope: Scope
  ) throws(Diagnostic) -> (make: PartMaker, made: Compiled) {
    let syntax = try arguments.function()
    guard case .closure(let closure) = syntax.kind else {
      let message = "expected a closure that ends in a publisher"
      throw Diagnostic("\(message): \(call.entry.signature)", at: syntax.range)
    }
    let names = closure.parameters ?? (key == nil ? ["$0"] : ["$0", "$1"])
    guard 1...2 ~= names.count else {
      let wanted = key == nil ? "a publisher and a time" : "a publisher and a key"
      throw Diagnostic(
        "the closure takes \(wanted), not \(names.count) parameters",
        at: syntax.range
      )
    }
    let hidden = "\(names[0]) of \(call.text)"
    var inner = scope.adding(names[0], as: .part(hidden, called: names[0], of: call.kinds)).below
    if names.count == 2 { inner = inner.adding([.init(name: names[1], kinds: key ?? .double)]) }
    let made = try block(closure.body, in: inner)
    let body = made.source
    let stage = call.text
    let bound = InnerBound(stage: stage)
    let cost = costOfChild(made)
    let make: PartMaker = { divided, outer, context in
      divided.flatMap(maxPublishers: .unlimited) { part -> Stream in
        var locals = Locals(outer)
        defer { outer.charge(locals) }
        if names.count == 2 { locals.append(part.key) }
        let stream = part.publisher.eraseToAnyPublisher()
        do throws(EvaluationError) {
          return try body(&locals, GroupContext(context, hidden, stream))
        } catch {
          let failure = PipelineFailure(error, stage: stage, value: part.key, leavesOut: true)
          guard let noAnswer = failure.noAnswer else { return .failing(failure) }
          part.noAnswer = noAnswer
          return .nothing
        }
      }.bounded(by: context, bound, cost: cost).eraseToAnyPublisher()
    }
    return (make, made)
  }
}

extension Compiled {
  /// The publisher that a closure is given, of values of these kinds; its context calls it `hidden`.
  static func part(
    _ hidden: String,
    called name: String,
    of kinds: Kinds
  ) -> Compiled {
    let demand = StageDemand.source(ends: "with the publisher passed to the closure")
    return Compiled(
      source: { (_, context) throws(EvaluationError) in context.subject(hidden, counters: nil) },
      kinds: kinds,
      stages: [StageDescription(text: name, demand: demand, delay: nil)],
      price: StagePrice.subject
    )
  }
}

/// The context of a closure that is given a publisher.
final class GroupContext: PipelineContext {
  private let outer: any PipelineContext
  private let name: String
  private let stream: Stream

  init(_ outer: any PipelineContext, _ name: String, _ stream: Stream) {
    self.outer = outer
    self.name = name
    self.stream = stream
  }

  var clock: VirtualTimeScheduler { outer.clock }
  var innerPublisherLimit: Int { outer.innerPublisherLimit }
  var timeSlice: TimeSlice { outer.timeSlice }
  var memoryBudget: MemoryBudget { outer.memoryBudget }
  var work: Work { outer.work }
  var recorder: StageRecorder? { outer.recorder }

  func subject(_ name: String, counters: StageCounters?) -> Stream {
    name == self.name ? stream : outer.subject(name, counters: counters)
  }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    outer.subjects(in: set, new: new, join)
  }

  func ask(_ name: String, _ argument: Value) -> Stream { outer.ask(name, argument) }

  func dropped(_ count: Int, _ reason: DropReason) { outer.dropped(count, reason) }
  func leftOut(_ leftOut: LeftOut) { outer.leftOut(leftOut) }
  func visible(_ failure: PipelineFailure) -> PipelineFailure { outer.visible(failure) }
  func log(_ line: String) { outer.log(line) }
}
