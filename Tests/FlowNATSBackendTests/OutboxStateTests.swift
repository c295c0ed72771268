import FlowNATS
import FlowSubjects
import FlowWire
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("The state of an outbox")
struct OutboxStateTests {
  @Test("makes the transitions of the table", arguments: rows)
  func transitions(_ row: Row) { row.check() }

  @Test("makes the transitions of the table after the end of the stream", arguments: rowsAfterEnd)
  func transitionsAfterEnd(_ row: Row) { row.check(after: .completed) }

  @Test("each sender learns the places of its own values")
  func places() {
    var play = OutboxPlay(.published)
    let steps = play.happen(.answer(.stored(last: 9)))
    #expect(play.fates(steps) == [.stored(at: 8), .stored(at: 9)])
  }

  @Test("gives up a batch without an answer after 100 s")
  func silence() {
    var play = OutboxPlay(.published)
    _ = play.happen(.linkIsAway)
    play.world.now += OutboxState.patience - 1
    let before = play.state.silenceIsOver(play.world)
    #expect(play.fates(before) == [])
    play.world.now += 1
    let after = play.state.silenceIsOver(play.world)
    #expect(play.fates(after) == [.notStored(.away), .notStored(.away)])
    #expect(play.state.count == 0)
  }

  @Test("refuses a value that no longer fits, and keeps the places of the others")
  func smallerPayload() {
    var play = OutboxPlay(.waitingToPublish, sizes: [1, 100, 1])
    play.world.longestValue = 10
    _ = play.happen(.timeIsUp)
    let steps = play.happen(.answer(.stored(last: 9)))
    #expect(play.fates(steps) == [.stored(at: 8), .notStored(.valueTooLong), .stored(at: 9)])
  }

  enum Start: CaseIterable, Sendable {
    case idle, published, waitingToPublish, searching, waitingToSearch
  }

  enum Event: Equatable, Sendable {
    case answer(PublishAnswer)
    case finding(StoredSearch.Finding)
    case timeIsUp, turnEnds, streamIsOpen, linkIsAway, completed, deleted, streamIsLost
  }

  typealias Row = StateRow<OutboxPlay>

  private static let refused = JetStreamError(code: 10023, text: "insufficient resources")
  private static let unheard = JetStreamError(code: 0, text: "503")

  static let rows = [
    Row(
      .answer(.stored(last: 9)),
      [.published: "idle count recordStored settle scheduleEndOfTurn"]
    ),
    Row(
      .answer(.stored(last: 2)),
      [.published: "idle count checkStream recordStored settle scheduleEndOfTurn"]
    ),
    Row(.answer(.repeated), [.published: "searching? count search"]),
    Row(.answer(.full), [.published: "waitingToPublish count lookForRoom wait"]),
    Row(.answer(.noStorage(refused)), [.published: "searching? reportNoStorage count search"]),
    Row(.answer(.preceded(last: nil)), [.published: "waitingToPublish? count checkStream wait"]),
    Row(.answer(.unknown(.noAnswer)), [.published: "waitingToPublish? count checkStream wait"]),
    Row(.answer(.unknown(unheard)), [.published: "waitingToPublish count checkStream wait"]),
    Row(.finding(.some(2, last: 9)), [.searching: "idle recordStored settle scheduleEndOfTurn"]),
    Row(
      .finding(.some(1, last: 9)),
      [.searching: "waitingToPublish recordStored settle scheduleEndOfTurn wait"]
    ),
    Row(.finding(.none), [.searching: "waitingToPublish wait"]),
    Row(.finding(.unclear), [.searching: "idle settle scheduleEndOfTurn"]),
    Row(.finding(.more), [.searching: "waitingToSearch? wait"]),
    Row(.finding(.unanswered), [.searching: "waitingToPublish wait"]),
    Row(
      .timeIsUp,
      [
        .waitingToPublish: "published publish",
        .waitingToSearch: "searching? search",
      ]
    ),
    Row(.turnEnds, [.idle: "published publish"]),
    Row(.streamIsOpen, everywhere: "published publish"),
    Row(
      .linkIsAway,
      [
        .published: "waitingToPublish? watchSilence",
        .waitingToPublish: "waitingToPublish?",
        .searching: "waitingToPublish? watchSilence",
        .waitingToSearch: "waitingToPublish? watchSilence",
      ]
    ),
    Row(.completed, [.idle: "idle giveUp"]),
    Row(.deleted, everywhere: "idle giveUp giveUpEnd"),
    Row(.streamIsLost, everywhere: "idle giveUp"),
  ]

  static let rowsAfterEnd = [
    Row(
      .answer(.stored(last: 9)),
      [.published: "idle recordStored settle scheduleEndOfTurn giveUp"]
    ),
    Row(
      .answer(.stored(last: 2)),
      [.published: "idle recordStored settle scheduleEndOfTurn giveUp"]
    ),
    Row(.answer(.repeated), [.published: "searching? search"]),
    Row(.answer(.full), [.published: "idle giveUp"]),
    Row(.answer(.noStorage(refused)), [.published: "searching? search"]),
    Row(.answer(.preceded(last: nil)), [.published: "idle notify giveUp"]),
    Row(.answer(.unknown(.noAnswer)), [.published: "idle notify giveUp"]),
    Row(.answer(.unknown(unheard)), [.published: "idle giveUp"]),
    Row(
      .finding(.some(2, last: 9)),
      [.searching: "idle recordStored settle scheduleEndOfTurn giveUp"]
    ),
    Row(
      .finding(.some(1, last: 9)),
      [.searching: "idle recordStored settle scheduleEndOfTurn notify giveUp"]
    ),
    Row(.finding(.none), [.searching: "idle notify giveUp"]),
    Row(.finding(.unclear), [.searching: "idle notify giveUp"]),
    Row(.finding(.more), [.searching: "waitingToSearch? wait"]),
    Row(.finding(.unanswered), [.searching: "idle notify giveUp"]),
    Row(
      .timeIsUp,
      [
        .waitingToPublish: "published publish",
        .waitingToSearch: "searching? search",
      ]
    ),
    Row(.turnEnds),
    Row(
      .streamIsOpen,
      [
        .idle: "idle writeEnd",
        .published: "published publish writeEnd",
        .waitingToPublish: "published publish writeEnd",
        .searching: "published publish writeEnd",
        .waitingToSearch: "published publish writeEnd",
      ]
    ),
    Row(
      .linkIsAway,
      [
        .published: "idle notify giveUp",
        .waitingToPublish: "waitingToPublish?",
        .searching: "idle notify giveUp",
        .waitingToSearch: "idle notify giveUp",
      ]
    ),
    Row(.completed),
    Row(.deleted, everywhere: "idle giveUp giveUpEnd"),
    Row(.streamIsLost, everywhere: "idle giveUp"),
  ]
}

/// The state of an outbox with values in a phase, and what is around it.
struct OutboxPlay: StatePlay {
  private final class Sender: ValueSender {
    func kept(_ count: Int, at sequence: UInt64?) {}
    func notKept(_ count: Int, _ reason: ErrorCode) {}
  }

  var state = OutboxState()
  var lastMessage: UInt64 = 0
  var world = OutboxState.Surroundings(
    now: 0,
    stream: StreamSettings(replicas: 1, storage: .file, mostMessages: 100, refusesWhenFull: true),
    takesValues: true,
    room: 100,
    newest: 3,
    longestValue: 1000,
    epoch: "e"
  )

  init(_ start: OutboxStateTests.Start) { self.init(start, sizes: [1, 1]) }

  /// Makes a state with values of these sizes, each of its own sender.
  init(_ start: OutboxStateTests.Start, sizes: [Int]) {
    for size in sizes {
      state.queue.append(Array(repeating: 0x78, count: size), by: Sender())
    }
    switch start {
    case .idle: break
    case .published: happen([.turnEnds])
    case .waitingToPublish: happen([.turnEnds, .answer(.full)])
    case .searching: happen([.turnEnds, .answer(.repeated)])
    case .waitingToSearch: happen([.turnEnds, .answer(.repeated), .finding(.more)])
    }
  }

  private mutating func happen(_ events: [OutboxStateTests.Event]) {
    for event in events { _ = happen(event) }
  }

  mutating func happen(_ event: OutboxStateTests.Event) -> [OutboxState.Step] {
    switch event {
    case .answer(let answer): return state.answered(answer, world)
    case .finding(let finding):
      return state.found(finding, StoredSearch.Searched(place: 5), world)
    case .timeIsUp: return state.timeIsUp(world, lastMessage: &lastMessage)
    case .turnEnds: return state.sendNext(world, lastMessage: &lastMessage)
    case .streamIsOpen: return state.streamIsOpen(world, lastMessage: &lastMessage)
    case .linkIsAway:
      world.stream = nil
      world.takesValues = false
      return state.linkIsAway(world)
    case .completed: return state.close(.completed, world)
    case .deleted: return state.close(.deleted, world)
    case .streamIsLost: return state.giveUp(.away)
    }
  }

  /// The phase, with "?" if a search is possible.
  var shown: [String] {
    let phase =
      switch state.phase {
      case .idle: "idle"
      case .underWay(_, let activity): caseName(activity)
      }
    return [phase + (state.isUncertain ? "?" : "")]
  }

  /// What became of the values that `steps` tell their senders of, in order.
  func fates(_ steps: [OutboxState.Step]) -> [OutboxState.Outcome.Fate] {
    steps.flatMap { step -> [OutboxState.Outcome.Fate] in
      switch step {
      case .settle(_, _, let outcomes), .notify(let outcomes), .giveUp(let outcomes):
        return outcomes.map(\.fate)
      default: return []
      }
    }
  }
}
