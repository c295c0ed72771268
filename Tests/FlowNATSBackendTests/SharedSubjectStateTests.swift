import FlowNATS
import FlowSubjects
import FlowWire
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("The state of a subject in NATS")
struct SharedSubjectStateTests {
  @Test("makes the transitions of the table", arguments: rows)
  func transitions(_ row: Row) { row.check() }

  @Test("takes a missing stream for lost after 2 s, a shortened one after 5 s")
  func patience() {
    for (event, seconds) in [(Event.missing, 2), (.shortened, 5)] {
      var play = SharedSubjectPlay(.open)
      _ = play.happen(event)
      play.now = Int64(seconds) * 1_000_000_000 - 1
      let before = play.happen(event)
      #expect(play.describe(before) == "open suspect inspectLater", "\(event)")
      play.now += 1
      let after = play.happen(event)
      #expect(play.describe(after) == "open suspect declareLost", "\(event)")
    }
  }

  @Test("forgets a suspicion when the stream is whole again")
  func wholeAgain() {
    var play = SharedSubjectPlay(.open)
    _ = play.happen(.missing)
    let steps = play.happen(.stream)
    #expect(play.describe(steps) == "open recordStream notifyWaiting")
  }

  @Test("reports a refusal after the stream was deleted, which is then made again")
  func madeInVain() {
    var play = SharedSubjectPlay(.claiming)
    _ = play.happen(.claimLacksRoom)
    let deleted = play.state.streamIsDeleted(play.noRoom)
    #expect(play.describe(deleted) == "closed notifyWaiting inspectLater")
    let checked = play.happen(.check)
    #expect(play.describe(checked) == "closed asks:stream makeStream")
  }

  @Test("does not suspect a loss while this server deletes the subject")
  func deleting() {
    var play = SharedSubjectPlay(.open)
    play.state.isDeleting = true
    let steps = play.happen(.missing) + play.happen(.deletion)
    #expect(play.describe(steps) == "open")
  }

  enum Start: CaseIterable, Sendable {
    /// The stream is being made.
    case making
    /// A subject that NATS knows is being looked up.
    case closed
    case claiming, open, refused, lost, gone
  }

  enum Event: Sendable {
    case linkIsUp, check
    case stream, foreignStream, endedStream, unlistedConsumers, shortened, missing
    case nameInUse, notAllowed, noAnswer
    case placesAreKnown, claimed, claimRefused, claimFailed, claimLacksRoom
    case deletion, definition, nameIsLost
  }

  typealias Row = StateRow<SharedSubjectPlay>

  static let rows = [
    Row(
      .linkIsUp,
      [
        .making: "closed asks:stream makeStream",
        .closed: "closed asks:stream requestStream",
        .claiming: "closed asks:stream requestStream",
        .open: "closed asks:stream requestStream",
        .lost: "closed lost asks:stream requestStream",
      ]
    ),
    Row(
      .check,
      [
        .open: "open asks:stream requestStream",
        .refused: "refused asks:stream requestStream",
        .lost: "closed lost asks:stream requestStream",
      ]
    ),
    Row(
      .stream,
      [
        .making: "closed asks:name claimName",
        .closed: "open recordStream resume notifyWaiting",
        .claiming: "closed asks:name claimName",
        .open: "open recordStream notifyWaiting",
        .refused: "refused asks:name claimName",
        .lost: "open lost recordStream resume notifyWaiting",
      ]
    ),
    Row(
      .foreignStream,
      [
        .making: "refused reportRefusal",
        .closed: "refused reportRefusal",
        .claiming: "refused reportRefusal",
        .open: "refused reportRefusal",
        .refused: "refused reportRefusal",
        .lost: "refused lost reportRefusal",
      ]
    ),
    Row(
      .endedStream,
      [
        .making: "closed asks:name claimName",
        .closed: "open recordStream seal resume notifyWaiting",
        .claiming: "closed asks:name claimName",
        .open: "open recordStream seal notifyWaiting",
        .refused: "refused asks:name claimName",
        .lost: "open lost recordStream seal resume notifyWaiting",
      ]
    ),
    Row(
      .unlistedConsumers,
      [
        .making: "closed asks:places learnPlaces",
        .closed: "closed asks:places learnPlaces",
        .claiming: "closed asks:name claimName",
        .open: "open recordStream notifyWaiting",
        .refused: "refused asks:name claimName",
        .lost: "open lost recordStream resume notifyWaiting",
      ]
    ),
    Row(
      .shortened,
      [
        .making: "closed suspect inspectLater",
        .closed: "closed suspect inspectLater",
        .claiming: "closed suspect inspectLater",
        .open: "open suspect inspectLater",
        .refused: "refused suspect inspectLater",
        .lost: "open lost recordStream resume notifyWaiting",
      ]
    ),
    Row(
      .missing,
      [
        .making: "closed warn notifyWaiting inspectLater",
        .closed: "closed suspect inspectLater",
        .claiming: "closed suspect inspectLater",
        .open: "open suspect inspectLater",
        .refused: "refused suspect inspectLater",
      ]
    ),
    Row(
      .nameInUse,
      [
        .making: "closed asks:stream requestStream",
        .closed: "closed inspectLater",
        .claiming: "closed inspectLater",
        .open: "open inspectLater",
        .refused: "refused inspectLater",
        .lost: "closed lost inspectLater",
      ]
    ),
    Row(
      .notAllowed,
      [
        .making: "closed warn notifyWaiting inspectLater",
        .closed: "closed inspectLater",
        .claiming: "closed inspectLater",
        .open: "open inspectLater",
        .refused: "refused inspectLater",
        .lost: "closed lost inspectLater",
      ]
    ),
    Row(
      .noAnswer,
      [
        .making: "closed inspectLater",
        .closed: "closed inspectLater",
        .claiming: "closed inspectLater",
        .open: "open inspectLater",
        .refused: "refused inspectLater",
        .lost: "closed lost inspectLater",
      ]
    ),
    Row(.placesAreKnown, [:]),
    Row(.claimed, [.claiming: "open recordStream resume notifyWaiting"]),
    Row(.claimRefused, [.claiming: "refused reportRefusal"]),
    Row(.claimFailed, [.claiming: "closed inspectLater"]),
    Row(.claimLacksRoom, [.claiming: "closed asks:deletion deleteStream"]),
    Row(
      .deletion,
      [
        .closed: "closed asks:stream remove",
        .open: "open remove",
        .refused: "closed asks:stream requestStream",
        .lost: "closed lost remove",
        .gone: "gone remove",
      ]
    ),
    Row(.definition, [:]),
    Row(
      .nameIsLost,
      [
        .open: "open asks:stream requestStream",
        .lost: "closed lost asks:stream requestStream",
      ]
    ),
  ]
}

/// The state of a subject in NATS, and the events of the table.
struct SharedSubjectPlay: StatePlay {
  var state: SharedSubjectState
  var now: Int64 = 0

  init(_ start: SharedSubjectStateTests.Start) {
    state = SharedSubjectState(definedAt: [.making, .claiming, .refused].contains(start) ? nil : 7)
    _ = state.linkIsUp()
    switch start {
    case .making, .closed: break
    case .claiming, .open: _ = happen(.stream)
    case .refused: _ = happen(.foreignStream)
    case .lost:
      _ = happen(.stream)
      let loss = StreamLoss(name: "a", isWhole: true, last: 0, newest: 5, count: 5)
      state.record(loss, nil)
    case .gone:
      _ = happen(.stream)
      state.leave()
    }
  }

  mutating func happen(_ event: SharedSubjectStateTests.Event) -> [SharedSubjectState.Step] {
    switch event {
    case .linkIsUp: state.linkIsUp()
    case .check: state.inspect(isUp: true)
    case .stream: answer(.success(stream()))
    case .foreignStream: answer(.success(stream()), conflict: "other settings")
    case .endedStream: answer(.success(stream(takesNoValues: true)))
    case .unlistedConsumers: answer(.success(stream(consumers: 1)))
    case .shortened: answer(.success(stream(last: 4)))
    case .missing: answer(.failure(JetStreamError(code: 10059, text: "stream not found")))
    case .nameInUse: answer(.failure(JetStreamError(code: 10058, text: "name in use")))
    case .notAllowed: answer(.failure(JetStreamError(code: 10026, text: "too many streams")))
    case .noAnswer: answer(.failure(.noAnswer))
    case .placesAreKnown: state.placesAreKnown(isUp: true)
    case .claimed: claim(.defined(at: 8))
    case .claimRefused: claim(.refused("another definition"))
    case .claimFailed: claim(.failed(nil))
    case .claimLacksRoom: claim(.failed(noRoom))
    case .deletion: state.nameHasChanged(at: 9, isDeletion: true, isUp: true)
    case .definition: state.nameHasChanged(at: 7, isDeletion: false, isUp: true)
    case .nameIsLost: state.nameIsLost(isUp: true)
    }
  }

  let noRoom = DefinitionError(.limit, "no room")

  private mutating func claim(
    _ claim: SharedSubjectState.Claim
  ) -> [SharedSubjectState.Step] {
    state.claimed(claim, stream(), conflict: nil, isAwaited: true)
  }

  private mutating func answer(
    _ answer: Result<StreamAnswer, JetStreamError>,
    conflict: String? = nil
  ) -> [SharedSubjectState.Step] {
    state.answered(answer, newest: 5, conflict: conflict, now: now, isUp: true)
  }

  private func stream(
    last: UInt64 = 5,
    consumers: Int = 0,
    takesNoValues: Bool = false
  ) -> StreamAnswer {
    var settings = StreamSettings(
      replicas: 1,
      storage: .file,
      mostMessages: 100,
      refusesWhenFull: true
    )
    settings.takesNoValues = takesNoValues
    var answer = StreamAnswer(settings: settings, first: 1, last: last, consumers: consumers)
    answer.isNew = true
    return answer
  }

  /// The phase, the health unless it is whole, and the request.
  var shown: [String] {
    let health = caseName(state.health)
    let request = state.request.map { "asks:\($0)" }
    return [caseName(state.phase), health == "whole" ? nil : health, request].compactMap { $0 }
  }
}
