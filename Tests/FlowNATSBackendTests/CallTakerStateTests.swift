import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("The state of a taker of calls")
struct CallTakerStateTests {
  @Test("makes the transitions of the table", arguments: rows)
  func transitions(_ row: Row) { row.check() }

  @Test("pulls fewer calls while it asks servers for others")
  func asking() {
    var play = CallTakerPlay(.open)
    play.state.beginAsking()
    play.state.beginAsking()
    let steps = play.happen(.follow)
    #expect(steps == [.pull(2)])
  }

  @Test("is silent 12 s after NATS was last heard during a pull")
  func silence() {
    let play = CallTakerPlay(.pulling)
    #expect(!play.state.isSilent(at: 12_000_000_000))
    #expect(play.state.isSilent(at: 12_000_000_001))
    #expect(!CallTakerPlay(.open).state.isSilent(at: 12_000_000_001))
  }

  enum Start: CaseIterable, Sendable { case closed, opening, open, pulling }

  enum Event: Sendable {
    case follow, noDemand, noStream, made, notMade, lateAnswer
    case came, heartbeat, pullIsOver, consumerIsGone, close
  }

  typealias Row = StateRow<CallTakerPlay>

  static let rows = [
    Row(
      .follow,
      [
        .closed: "opening makeConsumer", .open: "open(4) pull(4)", .pulling: "open(4) pull(1)",
      ]
    ),
    Row(.noDemand),
    Row(
      .noStream,
      [
        .closed: "closed makeStream", .opening: "opening makeStream", .open: "open(0) makeStream",
        .pulling: "open(3) makeStream",
      ]
    ),
    Row(.made, [.opening: "open(0) schedule"]),
    Row(.notMade, [.opening: "closed doubtStream"]),
    Row(.lateAnswer),
    Row(
      .came,
      [
        .closed: "closed schedule", .opening: "opening schedule", .open: "open(0) schedule",
        .pulling: "open(2) schedule",
      ]
    ),
    Row(.heartbeat),
    Row(
      .pullIsOver,
      [
        .closed: "closed schedule", .opening: "opening schedule", .open: "open(0) schedule",
        .pulling: "open(1) schedule",
      ]
    ),
    Row(.consumerIsGone, everywhere: "closed detach schedule"),
    Row(.close, everywhere: "closed detach"),
  ]
}

/// The state of a taker, and the events of the table.
struct CallTakerPlay: StatePlay {
  var state = CallTakerState()

  init(_ start: CallTakerStateTests.Start) {
    guard start != .closed else { return }
    _ = happen(.follow)
    guard start != .opening else { return }
    _ = happen(.made)
    if start == .pulling { _ = state.follow(spare: 3, hasStream: true, 0) }
  }

  mutating func happen(_ event: CallTakerStateTests.Event) -> [CallTakerState.Step] {
    switch event {
    case .follow: state.follow(spare: 4, hasStream: true, 0)
    case .noDemand: state.follow(spare: 0, hasStream: true, 0)
    case .noStream: state.follow(spare: 4, hasStream: false, 0)
    case .made: state.answered(state.attempt, isMade: true, 0)
    case .notMade: state.answered(state.attempt, isMade: false, 0)
    case .lateAnswer: state.answered(state.attempt - 1, isMade: true, 0)
    case .came: state.came(0)
    case .heartbeat: state.received(100, pending: 0, 0)
    case .pullIsOver: state.received(408, pending: 2, 0)
    case .consumerIsGone: state.received(409, pending: 0, 0)
    case .close: state.close()
    }
  }

  /// The phase, with the calls that have not come.
  var shown: [String] {
    guard case .open(let outstanding, _) = state.phase else { return ["\(state.phase)"] }
    return ["open(\(outstanding))"]
  }

  func name(_ step: CallTakerState.Step) -> String { "\(step)" }
}
