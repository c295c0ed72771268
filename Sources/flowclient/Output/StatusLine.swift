import FlowCore

/// A status line with demand and values, if standard error is a terminal.
struct StatusLine: Sendable {
  private let surroundings: any Surroundings
  private let isShown: Bool

  init(_ session: ClientSession) {
    surroundings = session.surroundings
    isShown = surroundings.errorIsTerminal && !session.remarks.isQuiet
  }

  func show(_ plan: DemandPlan) {
    guard isShown else { return }
    surroundings.writeError("\r\u{1b}[K\(Self.text(plan))")
  }

  func clear() {
    if isShown { surroundings.writeError("\r\u{1b}[K") }
  }

  static func text(_ plan: DemandPlan) -> String {
    let asked = plan.asked.max.map { "\($0)" } ?? "all"
    let left = plan.outstanding.max.map { ", \($0) to come" } ?? ""
    return
      "asked \(asked), received \(plan.received)\(left)  (space: one, 5⏎: five, a: all, q: quit)"
  }
}
