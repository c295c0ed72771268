import FlowNATS
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("The state of a lease")
struct LeaseStateTests {
  @Test("makes the transitions of the table", arguments: rows)
  func transitions(_ row: Row) { row.check() }

  @Test("is lost 7 s after the last renewal was sent")
  func age() {
    var play = LeasePlay(.held)
    play.now.time = 7_000_000_000 - 1
    let young = play.state.checkAge(play.now)
    #expect(play.isHeld && young.isEmpty)
    play.now.time += 1
    #expect(!play.isHeld)
    let old = play.state.checkAge(play.now)
    #expect(old == [.notify(isHeld: false)])
  }

  @Test("is not held on a new connection before it is confirmed there")
  func newConnection() {
    var play = LeasePlay(.held)
    play.now.connection += 1
    #expect(!play.isHeld)
    let steps = play.happen(.linkIsUp) + play.happen(.stored)
    #expect(steps.contains(.notify(isHeld: true)))
    #expect(play.isHeld)
  }

  @Test("gives back the message that NATS has stored without an answer")
  func giveBack() {
    var play = LeasePlay(.held)
    _ = play.happen(.foundThis)
    let steps = play.state.stop()
    #expect(steps == [.giveBack(8)])
  }

  @Test("knows that others have it once they renew it, or after 12 s")
  func others() {
    let cases: [(last: UInt64, seconds: Int64)] = [(6, 1), (5, 13)]
    for (last, seconds) in cases {
      var play = LeasePlay(.wanted)
      let first = play.state.found(.other, last: 5, play.now)
      #expect(!first.contains(.notifyElsewhere))
      play.now.time += seconds * 1_000_000_000
      let second = play.state.found(.other, last: last, play.now)
      #expect(second.contains(.notifyElsewhere), "\(last)")
    }
  }

  enum Start: CaseIterable, Sendable { case unwanted, wanted, former, held }

  enum Event: Sendable {
    case start, linkIsUp, sameLink, timeIsUp, stop, streamIsThere, streamIsMissing
    case stored, preceded, unanswered
    case foundThis, foundOther, foundNobody, foundNothing, isOld
  }

  typealias Row = StateRow<LeasePlay>

  private static let asks = [
    Start.wanted: "wanted findStream", .former: "former findStream", .held: "held findStream",
  ]

  static let rows = [
    Row(.start, [.unwanted: "wanted findStream"]),
    Row(.linkIsUp, asks),
    Row(.sameLink, [:]),
    Row(.timeIsUp, asks),
    Row(.stop, [.wanted: "unwanted", .former: "unwanted", .held: "unwanted giveBack"]),
    Row(
      .streamIsThere,
      [.wanted: "wanted publish(0)", .former: "former publish(7)", .held: "held publish(7)"]
    ),
    Row(
      .streamIsMissing,
      [.wanted: "wanted wait", .former: "former wait", .held: "held wait watchAge"]
    ),
    Row(
      .stored,
      [
        .wanted: "held notify(true) wait watchAge",
        .former: "held notify(true) wait watchAge",
        .held: "held wait watchAge",
      ]
    ),
    Row(
      .preceded,
      [.wanted: "wanted findHolder", .former: "former findHolder", .held: "held findHolder"]
    ),
    Row(
      .unanswered,
      [
        .wanted: "wanted doubtStream wait",
        .former: "former doubtStream wait",
        .held: "held doubtStream wait watchAge",
      ]
    ),
    Row(
      .foundThis,
      [.wanted: "former findStream", .former: "former findStream", .held: "held findStream"]
    ),
    Row(
      .foundOther,
      [.wanted: "wanted wait", .former: "wanted wait", .held: "wanted notify(false) wait"]
    ),
    Row(
      .foundNobody,
      [
        .wanted: "wanted wait",
        .former: "wanted findStream",
        .held: "wanted notify(false) findStream",
      ]
    ),
    Row(
      .foundNothing,
      [.wanted: "wanted wait", .former: "former wait", .held: "held wait watchAge"]
    ),
    Row(.isOld, [.held: "former notify(false)"]),
  ]
}

/// The state of a lease, and the events of the table.
struct LeasePlay: StatePlay {
  var state = LeaseState(isAwaited: true)
  var now = LeaseState.Moment(time: 0, connection: 1)

  init(_ start: LeaseStateTests.Start) {
    guard start != .unwanted else { return }
    _ = state.start(now)
    guard start != .wanted else { return }
    _ = state.answered(.stored(last: 7), now)
    if start == .former { _ = happen(.isOld) }
    now.time = 0
  }

  var isHeld: Bool { state.isHeld(at: now) }

  mutating func happen(_ event: LeaseStateTests.Event) -> [LeaseState.Step] {
    switch event {
    case .start: return state.start(now)
    case .linkIsUp:
      return state.linkIsUp(LeaseState.Moment(time: now.time, connection: 2))
    case .sameLink:
      // Without a lease that was asked for, no connection is the same.
      let connection = state.phase == .unwanted ? 0 : now.connection
      return state.linkIsUp(LeaseState.Moment(time: now.time, connection: connection))
    case .timeIsUp: return state.timeIsUp(now)
    case .stop: return state.stop()
    case .streamIsThere: return state.streamIsKnown(true, now)
    case .streamIsMissing: return state.streamIsKnown(false, now)
    case .stored: return state.answered(.stored(last: 8), now)
    case .preceded: return state.answered(.preceded(last: 9), now)
    case .unanswered: return state.answered(.unknown(.noAnswer), now)
    case .foundThis: return state.found(.this(8), last: 9, now)
    case .foundOther: return state.found(.other, last: 9, now)
    case .foundNobody: return state.found(.nobody, last: nil, now)
    case .foundNothing: return state.found(.unknown, last: nil, now)
    case .isOld:
      now.time = 8_000_000_000
      return state.checkAge(now)
    }
  }

  var shown: [String] {
    switch state.phase {
    case .unwanted: ["unwanted"]
    case .wanted(nil): ["wanted"]
    case .wanted: ["former"]
    case .held: ["held"]
    }
  }

  func name(_ step: LeaseState.Step) -> String {
    switch step {
    case .publish(let sequence): "publish(\(sequence))"
    case .notify(let isHeld): "notify(\(isHeld))"
    default: caseName(step)
    }
  }
}
