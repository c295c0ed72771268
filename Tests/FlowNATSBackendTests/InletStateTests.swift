import FlowNATS
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("The state of an inlet")
struct InletStateTests {
  @Test("makes the transitions of the table", arguments: rows)
  func transitions(_ row: Row) { row.check() }

  @Test("reads for nobody who may not read")
  func lease() {
    var play = InletPlay(.closed)
    play.world.isForReader = true
    _ = play.happen(.follow)
    play.world.mayRead = false
    let waits = play.happen(.begin)
    play.world.mayRead = true
    let begins = play.happen(.begin)
    #expect(waits.isEmpty && begins == [.forgetRepetitions, .findPlace])
    play.state.placeIsFound([], floor: 4, last: 6)
    #expect(play.state.expected == 7 && play.state.wasElsewhere)
    let reads = play.happen(.begin)
    #expect(reads == [.requestStream])
  }

  @Test("tells expected values, those that come again, and gaps")
  func arrivals() {
    var play = InletPlay(.open)
    // What is purged before the first consumer is made was not to be read.
    var arrivals = [8, 6, 10, 9].map { play.state.arrive($0) }
    #expect(arrivals == [.next(missed: 0), .again, .gap, .next(missed: 0)])
    _ = play.happen(.renew)
    arrivals = [play.state.arrive(10)]
    play.state.consumerIsWanted("s-2", at: 10)
    play.state.consumerIsMade()
    arrivals += [play.state.arrive(12), play.state.arrive(10)]
    #expect(arrivals == [nil, .next(missed: 2), .again])
    #expect(play.state.again == 2)
  }

  @Test("puts small pulls together, and knows when nothing comes")
  func pulls() {
    var pulls = PullState()
    let counts = (0..<9).map { _ in pulls.pull(1, 5) } + [pulls.pull(8, 5)]
    #expect(counts == [1, 1, 1, 1, 1, 1, 1, 1, 0, 8])
    #expect(!pulls.isSilent(10_000_000_004) && pulls.isSilent(10_000_000_005))
    pulls.remove(20)
    #expect(pulls.outstanding == 0 && !pulls.isSilent(10_000_000_005))
    let signs = [15, 24, 25].map { pulls.giveSign(each: 10, $0) }
    #expect(signs == [true, false, true])
  }

  @Test("acknowledges one at a time, and again what NATS has not heard")
  func acknowledgements() {
    var acks = AckState()
    acks.wentOut([1])
    var sent = [acks.take()]
    acks.wentOut([2])
    sent.append(acks.take())
    #expect(sent == [[1], nil])
    let isDue = [acks.answered([1], isMissing: false), acks.take() == [2]]
    #expect(isDue == [true, true])
    let isDueAgain = acks.answered([2], isMissing: true)
    acks.leaveOut([3])
    acks.waitingWentOut()
    sent = [acks.take()]
    #expect(isDueAgain && sent == [[3]])
  }

  enum Start: CaseIterable, Sendable { case closed, opening, open, closing }

  enum Event: Sendable {
    case follow, followNobody, streamIsOpen, linkIsAway, renew, renewForNobody, begin, closedStream
    case close, closeWithoutNews, deleteConsumers, deleted, letGo
  }

  typealias Row = StateRow<InletPlay>

  private static let renewed = "opening detach beginLater"
  private static let ended = "closed forgetAcknowledgements notifyClosed followReaders"
  private static let gone = "closed forgetWaiting detach notifyOpen notifyClosed"

  static let rows = [
    Row(
      .follow,
      [
        .closed: "opening forgetRepetitions deleteLeftBehind", .opening: "opening notifyClosed",
        .open: "open notifyClosed",
      ]
    ),
    Row(
      .followNobody,
      [.closed: "closed notifyOpen", .opening: "opening close", .open: "open close"]
    ),
    Row(
      .streamIsOpen,
      [
        .closed: "opening forgetRepetitions deleteLeftBehind",
        .opening: "opening forgetRepetitions deleteLeftBehind",
        .open: renewed, .closing: "closing finishClosing",
      ]
    ),
    Row(.linkIsAway, [.open: "opening"]),
    Row(.renew, [.closed: renewed, .opening: renewed, .open: renewed, .closing: renewed]),
    Row(.renewForNobody, [:]),
    Row(.begin, [.opening: "opening forgetRepetitions deleteLeftBehind"]),
    Row(.closedStream, [:]),
    Row(
      .close,
      [
        .closed: "closed notifyClosed",
        .opening: "closing forgetWaiting notifyOpen detach finishClosing",
        .open: "closing forgetWaiting notifyOpen detach finishClosing",
      ]
    ),
    Row(
      .closeWithoutNews,
      [
        .closed: "closed notifyClosed",
        .opening: "closed forgetWaiting notifyOpen detach forgetAcknowledgements notifyClosed"
          + " followReaders",
        .open: "closing forgetWaiting notifyOpen detach finishClosing",
      ]
    ),
    Row(.deleteConsumers, [.closing: "closing deleteObsolete"]),
    Row(
      .deleted,
      [.opening: "opening forgetRepetitions deleteLeftBehind", .closing: ended]
    ),
    Row(.letGo, [.closed: gone, .opening: gone, .open: gone, .closing: gone]),
  ]
}

/// The state of an inlet, and the events of the table.
struct InletPlay: StatePlay {
  var state = InletState()
  var world: InletState.Surroundings

  init(_ start: InletStateTests.Start) {
    world = InletState.Surroundings(
      isStreamOpen: true,
      isLossless: true,
      isForReader: false,
      mayRead: true,
      hasSubscriptions: true,
      isOver: false
    )
    guard start != .closed else { return }
    _ = state.followReaders(world)
    guard start != .opening else { return }
    state.consumerIsWanted("s-1", at: 5)
    state.consumerIsMade()
    if start == .closing { _ = state.close(world, hasGoneOut: true) }
  }

  mutating func happen(_ event: InletStateTests.Event) -> [InletState.Step] {
    var nobody = world
    nobody.hasSubscriptions = false
    var closed = world
    closed.isStreamOpen = false
    switch event {
    case .follow: return state.followReaders(world)
    case .followNobody: return state.followReaders(nobody)
    case .streamIsOpen: return state.streamIsOpen(world)
    case .linkIsAway:
      state.linkIsAway()
      return []
    case .renew: return state.renew(world)
    case .renewForNobody: return state.renew(nobody)
    case .begin: return state.begin(world)
    case .closedStream: return state.begin(closed)
    case .close: return state.close(world, hasGoneOut: true)
    case .closeWithoutNews: return state.close(world, hasGoneOut: false)
    case .deleteConsumers: return state.deleteConsumers(world)
    case .deleted: return state.obsoleteAreDeleted(world)
    case .letGo: return state.letGo()
    }
  }

  var shown: [String] { ["\(state.phase)"] }
}
