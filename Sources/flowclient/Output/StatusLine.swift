/// A line at the foot of the terminal that shows how demand and values stand.
///
/// It is written on standard error, and only if that is a terminal.
struct StatusLine: Sendable {
  private let isShown: Bool

  init(isQuiet: Bool) {
    isShown = StandardStreams.errorIsTerminal && !isQuiet
  }

  func show(_ plan: DemandPlan) {
    guard isShown else { return }
    StandardStreams.writeError("\r\u{1b}[K\(Self.text(plan))")
  }

  func clear() {
    if isShown { StandardStreams.writeError("\r\u{1b}[K") }
  }

  static func text(_ plan: DemandPlan) -> String {
    let asked = plan.asked == .max ? "all" : String(plan.asked)
    let left = plan.asked == .max ? "" : ", \(plan.outstanding) to come"
    return
      "asked \(asked), received \(plan.received)\(left)  (space: one, 5⏎: five, a: all, q: quit)"
  }
}
