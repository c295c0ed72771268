internal import FlowLanguage
internal import FlowSubjects

extension ServerSubject {
  /// The live figures, as rows tell them.
  var figures: String {
    "subscriptions=\(outletCount) publications=\(publications.count) published=\(published)"
      + " delivered=\(delivered) missed=\(missed) waiting=\(waitingCount)"
  }
}

extension ClientSubscription {
  /// The live figures, as rows tell them.
  var figures: String {
    let text = "demand=\(demand) values=\(values) missed=\(missedInAll)"
    return stalled.map { text + " stalled=\($0 / 1_000_000)ms" } ?? text
  }
}

extension StageFigures {
  /// The figures, as rows tell them; what a stage seldom has only where it has some.
  var text: String {
    var text = "in=\(taken)"
    if made > 0 { text += " made=\(made)" }
    text += " out=\(sent) dropped=\(dropped) held=\(held) consumed=\(consumed)"
    if left > 0 { text += " left=\(left)" }
    if let publishers { text += " publishers=\(publishers)" }
    return text + " demand=\(demand == .max ? "max" : "\(demand)")"
  }
}

extension Run {
  /// The live figures, as rows tell them.
  var figures: String {
    let state =
      switch state {
      case .running: "running"
      case .finished: "finished"
      case .failed: "failed"
      }
    let missed = misses.values.reduce(0, +)
    return "state=\(state) values=\(values) missed=\(missed) held=\(held) demand=\(demand)"
  }
}
