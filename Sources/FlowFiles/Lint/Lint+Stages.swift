internal import FlowLanguage

extension Lint {
  /// Checks the stages that are written in `definition` itself.
  mutating func checkStages(of definition: Definition, _ stages: [StageDescription]) {
    for (number, stage) in stages.enumerated() where stage.pipeline == nil {
      let before = stages[..<number]
      checkDemand(of: stage, before, definition)
      checkDelay(stage, before, definition)
      checkParts(stage, before, definition)
      checkFailure(stage, stages[(number + 1)...], definition)
    }
  }

  // MARK: Demand

  private mutating func checkDemand(
    of stage: StageDescription,
    _ before: ArraySlice<StageDescription>,
    _ definition: Definition
  ) {
    guard stage.requestsEverything, let source = before.first else { return }
    if stage.traits.contains(.flattens) {
      if let endless = stage.branches.first(where: \.isEndless), let inner = endless.first {
        let message = "each value opens one more publisher that never ends: \(inner.text)"
        warn(.endlessInner, message, stage, of: definition)
      } else if canWait(source), !before.contains(where: \.isBuffer), stage.takesTime {
        let message =
          "this requests everything from \(source.text) and makes a publisher of each value"
        warn(.unlimited, message, stage, of: definition)
      }
    } else if stage.traits.contains(.shares) {
      guard canWait(source), !before.contains(where: \.isBuffer) else { return }
      let message =
        "this requests everything from \(source.text), and subscribers without demand miss values"
      warn(.unlimited, message, stage, of: definition)
    }
  }

  private mutating func checkDelay(
    _ stage: StageDescription,
    _ before: ArraySlice<StageDescription>,
    _ definition: Definition
  ) {
    guard let source = freeSource(before) else { return }
    let isBusy =
      stage.traits.contains(.flattens) && stage.demand.holds.limit != nil && stage.takesTime
    guard stage.delaysValues || stage.pacesItsSource || isBusy else { return }
    let message = "values that arrive at \(source.text) while this is busy are missed"
    warn(.delayWithoutBuffer, message, stage, of: definition)
  }

  /// Warns of a stage that needs every value and requests one at a time, as a window does: while it
  /// handles one, the subject has no demand, and later results are wrong without a failure.
  private mutating func checkParts(
    _ stage: StageDescription,
    _ before: ArraySlice<StageDescription>,
    _ definition: Definition
  ) {
    guard stage.demand.request.isOneByOne, let source = freeSource(before),
      before.dropFirst().allSatisfy(\.demand.request.isSame)
    else { return }
    let message = "values that come to \(source.text) faster than this takes them are missed"
    warn(.missedInParts, message, stage, of: definition)
  }

  /// The subject that the stages before read if it misses values and nothing keeps them.
  private func freeSource(_ before: ArraySlice<StageDescription>) -> StageDescription? {
    guard let source = before.first, source.name == nil, isFree(source.text),
      !before.contains(where: \.isBuffer)
    else { return nil }
    return source
  }

  // MARK: Failures

  private mutating func checkFailure(
    _ stage: StageDescription,
    _ after: ArraySlice<StageDescription>,
    _ definition: Definition
  ) {
    guard stage.isBuffer, stage.arguments["whenFull"]?.hasPrefix(".customError") == true,
      !after.contains(where: { $0.traits.contains(.recovers) })
    else { return }
    warn(.uncaught, "the first value beyond the limit ends the stream", stage, of: definition)
  }

  // MARK: Rates

  /// How many values a second come to subjects, as comments `# rate orders 100/s` say.
  func statedRates() -> [String: (perSecond: Double, text: String)] {
    var rates: [String: (Double, String)] = [:]
    for comment in definitions.script.files.flatMap(\.comments) {
      let words = comment.text.split { $0.isWhitespace }.map(String.init)
      guard words.count == 3, words[0] == "rate" else { continue }
      let parts = words[2].split(separator: "/")
      let lengths = ["s": 1.0, "m": 60, "h": 3600]
      guard parts.count == 2, let count = Double(parts[0]), let length = lengths[String(parts[1])]
      else { continue }
      rates[words[1]] = (count / length, words[2])
    }
    return rates
  }

  mutating func checkRates(
    of definition: Definition,
    _ stages: [StageDescription],
    _ rates: [String: (perSecond: Double, text: String)]
  ) {
    guard let source = stages.first, source.name == nil, let stated = rates[source.text] else {
      return
    }
    for (number, stage) in stages.enumerated() where stage.pipeline == nil {
      guard let rate = stage.rate, rate.perSecond < stated.perSecond,
        stages[1..<max(1, number)].allSatisfy(\.passesAll)
      else { continue }
      let message = "\(source.text) gets \(stated.text), but this passes only \(rate.text)"
      warn(.rate, message, stage, of: definition)
    }
  }
}

extension StageDescription {
  fileprivate var isBuffer: Bool { traits.contains(.buffers) }

  /// Whether it requests everything, as a flatMap without `maxPublishers` does.
  fileprivate var requestsEverything: Bool {
    demand.request.isUnlimited || traits.contains(.flattens) && demand.holds.limit == nil
  }

  /// Whether as many values come out as go in, and no fewer.
  fileprivate var passesAll: Bool { traits.contains(.passesAll) }

  /// Whether a publisher below it does more than publish a value at once.
  fileprivate var takesTime: Bool {
    branches.contains { branch in
      branch.contains { stage in
        let isChoice = stage.name == nil && !stage.branches.isEmpty
        let isThere = isChoice || stage.traits.contains(.isAtHand)
        return stage.delaysValues || stage.takesTime || (stage == branch.first && !isThere)
      }
    }
  }
}

extension [StageDescription] {
  /// Whether it begins with what never ends by itself, and no stage ends it.
  fileprivate var isEndless: Bool {
    guard let source = first, source.name == nil || source.traits.contains(.isEndless) else {
      return false
    }
    // A choice of publishers is as endless as those chosen from; it stands alone.
    if source.name == nil, !source.branches.isEmpty {
      return source.branches.contains { $0.isEndless }
    }
    return !contains { $0.traits.contains(.endsEarly) }
  }
}
