import FlowCore

extension Compiler {
  /// A stage behind `upstream`, or a source, with what there is to know about all of it; a choice
  /// between publishers has no entry.
  func compiled(
    _ stage: CompiledStage,
    of entry: OperatorEntry?,
    _ list: [Argument],
    at range: Range<Int>,
    behind upstream: consuming Compiled? = nil,
    in scope: Scope
  ) -> Compiled {
    var compiled = upstream ?? Compiled(source: stage.source, kinds: stage.kinds)
    let isCounted = !stage.countsItself && !scope.isBelow
    compiled.source =
      isCounted ? Self.counted(stage.source, at: compiled.stages.count) : stage.source
    if isRecorded {
      let chain = compiled.chain ?? StageChain()
      let index = compiled.stages.count
      for (number, branch) in stage.branches.enumerated() {
        branch.chain?.becomes(branch: number, ofStage: index, in: chain)
      }
      compiled.source = Self.recorded(
        compiled.source,
        in: chain,
        at: index,
        isPlainSource: index == 0 && stage.branches.isEmpty
      )
      compiled.chain = chain
    }
    // What is before a `share` that is one for all is charged to all, but for its counters here.
    if stage.shares != nil {
      compiled.price = 0
      compiled.priceOfCounting = StagePrice.counter * compiled.stages.count
    }
    let branches = stage.branches.map(\.price)
    compiled.price = (entry?.price ?? .choice).total(behind: compiled.price, branches)
    let joinsOthers = entry?.price.branches == .together && !stage.branches.isEmpty
    if joinsOthers, !stage.cancelsItself, Price.opening(compiled.price) > 0 {
      compiled.source = Self.wide(compiled.source)
    }
    if !scope.isBelow {
      let joined = stage.subscribesAtOnce ? branches.count : 0
      compiled.priceOfCounting +=
        StagePrice.counter + StagePrice.counted * (joined + (isCounted ? 1 : 0))
    }
    if let entry {
      compiled.nameOfSource = compiled.nameOfSource.behind(entry, text(range))
    }
    compiled.kinds = stage.kinds
    compiled.stages.append(description(entry, list, stage.branches.map(\.stages), at: range))
    for branch in stage.branches { compiled.mentions.add(branch.mentions) }
    compiled.mentions.add(stage.mentions)
    compiled.readsAnew = compiled.readsAnew || stage.readsAnew
    if let shares = stage.shares, !scope.isBelow { compiled.shares.append(shares) }
    return compiled
  }

  /// A source whose values wait where a turn has lasted long enough.
  static func paced(_ source: @escaping PublisherFactory) -> PublisherFactory {
    { (locals, context) throws(EvaluationError) in
      let stream = try source(&locals, context)
      return Stage(upstream: stream, passesAll: true, work: context.work) { { (_, _) in .pass } }
        .eraseToAnyPublisher()
    }
  }
}
