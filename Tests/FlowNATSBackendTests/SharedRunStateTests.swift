import FlowSubjects
import FlowWire
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("The state of a run in NATS")
struct SharedRunStateTests {
  @Test("makes the transitions of the table", arguments: rows)
  func transitions(_ row: Row) { row.check() }

  @Test("keeps its identity when the names stream is lost and the run is defined again")
  func identity() {
    var play = SharedRunPlay(.open)
    #expect(play.state.identity == 7)
    _ = play.happen(.nameIsLost)
    let steps = play.state.namesAreRead(nil, isHeld: true)
    guard case .define("RUN r = a\nwas 7")? = steps.first else {
      Issue.record("\(steps)")
      return
    }
    _ = play.state.defined(.success(SharedNames.Entry(sequence: 2, line: "RUN r = a\nwas 7")))
    #expect(play.state.identity == 7 && play.state.definition == 2)
    #expect(play.state.text(ofEnd: .finished) == "RUN r = a\nwas 7\ndone")
  }

  enum Start: CaseIterable, Sendable { case closed, refused, open, deleting, over }

  enum Event: Sendable {
    case linkIsUp, unknownName, unknownNameWithLease, sameName, otherName
    case stored, lacksRoom, away, nameIsLost
    case heardSame, heardEnd, heardOther, heardDeletion
  }

  typealias Row = StateRow<SharedRunPlay>

  static let rows = [
    Row(.linkIsUp, [.closed: "closed readNames"]),
    Row(.unknownName, [.closed: "closed startLease"]),
    Row(.unknownNameWithLease, [.closed: "closed define"]),
    Row(.sameName, [.closed: "open startLease begin"]),
    Row(.otherName, [.closed: "refused stopLease reportRefusal"]),
    Row(.stored, [.closed: "open startLease begin"]),
    Row(.lacksRoom, [.closed: "closed notifyWaiting retryLater"]),
    Row(.away, [.closed: "closed retryLater"]),
    Row(.nameIsLost, [.open: "closed readNames", .deleting: "closed readNames"]),
    Row(.heardSame, [.closed: "open startLease begin"]),
    Row(.heardEnd, [.closed: "open end notifyWaiting", .open: "open end"]),
    Row(
      .heardOther,
      [
        .closed: "refused stopLease reportRefusal", .open: "open remove", .over: "over remove",
      ]
    ),
    Row(
      .heardDeletion,
      [.refused: "closed readNames", .open: "open remove", .over: "over remove"]
    ),
  ]
}

/// The state of a run, and the events of the table.
struct SharedRunPlay: StatePlay {
  private static let line = "RUN r = a"
  var state = SharedRunState(line: SharedRunPlay.line, rights: nil, definedAt: nil)

  init(_ start: SharedRunStateTests.Start) {
    switch start {
    case .closed: break
    case .refused: _ = happen(.otherName)
    case .open: _ = happen(.sameName)
    case .deleting:
      _ = happen(.sameName)
      state.isDeleting = true
    case .over:
      _ = happen(.sameName)
      state.close()
    }
  }

  mutating func happen(_ event: SharedRunStateTests.Event) -> [SharedRunState.Step] {
    switch event {
    case .linkIsUp: state.linkIsUp(nil)
    case .unknownName: state.namesAreRead(nil, isHeld: false)
    case .unknownNameWithLease: state.namesAreRead(nil, isHeld: true)
    case .sameName: state.namesAreRead(entry(Self.line), isHeld: false)
    case .otherName: state.namesAreRead(entry("RUN r = b"), isHeld: false)
    case .stored: state.defined(.success(entry(Self.line)))
    case .lacksRoom: state.defined(.failure(DefinitionError(.limit, "no room")))
    case .away: state.defined(.failure(DefinitionError(.away, "no answer")))
    case .nameIsLost: state.nameIsLost(isUp: true)
    case .heardSame: state.heard(entry(Self.line), isHeld: false)
    case .heardEnd: state.heard(entry("RUN r = a\ndone"), isHeld: false)
    case .heardOther: state.heard(entry("RUN r = b"), isHeld: false)
    case .heardDeletion: state.heard(entry(nil), isHeld: false)
    }
  }

  private func entry(_ line: String?) -> SharedNames.Entry {
    SharedNames.Entry(sequence: 7, line: line)
  }

  var shown: [String] { [caseName(state.phase)] }
}
