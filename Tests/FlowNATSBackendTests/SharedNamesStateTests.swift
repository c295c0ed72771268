import FlowNATS
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("The state of the names in NATS")
struct SharedNamesStateTests {
  private typealias Entry = SharedNamesState.Entry

  @Test("makes the transitions of the table", arguments: rows)
  func transitions(_ row: Row) { row.check() }

  @Test("replaces a definition by what a consumer says of it, until the name is defined anew")
  func replacement() {
    var play = SharedNamesPlay(.closed)
    _ = play.happen(.linkIsUp) + play.happen(.streamIsThere)
    _ = play.state.replaced([4: "RUN a = b\ndone"])
    _ = play.state.consumerIsMade(isAtEnd: false, 0)
    _ = play.happen(.definition)
    #expect(play.state.entries["a"] == Entry(sequence: 4, line: "RUN a = b\ndone"))
    // NATS may not list the consumers at the next connection.
    _ = play.state.replaced(nil)
    let again = play.happen(.definition)
    #expect(again.isEmpty)
    #expect(play.state.entries["a"]?.line == "RUN a = b\ndone")
    let steps = play.state.heard("a", Entry(sequence: 5, line: nil))
    #expect(steps == [.report("a", Entry(sequence: 5, line: nil)), .deleteReplacement(of: 4)])
  }

  @Test("forgets a definition that NATS has removed while the link was away")
  func removed() {
    var play = SharedNamesPlay(.read)
    play.state.linkIsAway()
    _ = play.happen(.linkIsUp) + play.happen(.streamIsThere)
    let steps = play.state.consumerIsMade(isAtEnd: true, 0)
    let entry = Entry(sequence: 4, line: "x")
    #expect(steps.last == .find("a", entry))
    let error = JetStreamError(code: 10037, text: "no message found")
    let found = play.state.found("a", entry, error: error)
    #expect(found == [.report("a", Entry(sequence: 5, line: nil)), .reportRead])
    #expect(play.state.entries.isEmpty)
  }

  @Test("takes the stream for lost if it ends before a definition that was read")
  func lost() {
    var play = SharedNamesPlay(.read)
    _ = play.state.reopen() + play.state.open()
    let steps = play.state.streamIsThere(last: 3)
    #expect(steps == [.reportLost, .findReplacements])
    #expect(play.state.entries.isEmpty)
  }

  enum Start: CaseIterable, Sendable { case closed, opening, open, read }

  enum Event: Sendable {
    case linkIsUp, streamIsThere, consumerIsMade, definition, lastDefinition, silence, noSilence
    case heartbeat, pullIsOver, consumerIsGone, reopen
  }

  typealias Row = StateRow<SharedNamesPlay>

  static let rows = [
    Row(.linkIsUp, [.closed: "opening makeStream"]),
    Row(
      .streamIsThere,
      [
        .closed: "closed findReplacements", .opening: "opening findReplacements",
        .open: "open findReplacements", .read: "open read findReplacements",
      ]
    ),
    Row(
      .consumerIsMade,
      [
        .closed: "open pull watch", .opening: "open pull watch", .open: "open pull watch",
        .read: "open read pull watch",
      ]
    ),
    Row(.definition, [.open: "open report"]),
    Row(.lastDefinition, [.open: "open read report reportRead", .read: "open read report"]),
    Row(
      .silence,
      [
        .open: "closed deleteConsumer openLater", .read: "closed read deleteConsumer openLater",
      ]
    ),
    Row(.noSilence, [.open: "open watch", .read: "open read watch"]),
    Row(.heartbeat, [:]),
    Row(.pullIsOver, [.open: "open pull", .read: "open read pull"]),
    Row(
      .consumerIsGone,
      [
        .open: "closed deleteConsumer openLater", .read: "closed read deleteConsumer openLater",
      ]
    ),
    Row(
      .reopen,
      [
        .closed: "closed deleteConsumer openLater", .opening: "closed deleteConsumer openLater",
        .open: "closed deleteConsumer openLater", .read: "closed read deleteConsumer openLater",
      ]
    ),
  ]
}

/// The state of the names, and the events of the table.
struct SharedNamesPlay: StatePlay {
  var state = SharedNamesState()

  init(_ start: SharedNamesStateTests.Start) {
    guard start != .closed else { return }
    _ = happen(.linkIsUp)
    guard start != .opening else { return }
    _ = happen(.streamIsThere)
    _ = state.replaced([:])
    _ = happen(.consumerIsMade)
    guard start == .read else { return }
    _ = state.received("a", SharedNamesState.Entry(sequence: 4, line: "x"), pending: 0, 0)
  }

  mutating func happen(_ event: SharedNamesStateTests.Event) -> [SharedNamesState.Step] {
    switch event {
    case .linkIsUp: state.linkIsUp()
    case .streamIsThere: state.streamIsThere(last: 4)
    case .consumerIsMade: state.consumerIsMade(isAtEnd: false, 0)
    case .definition: define("x", at: 4, pending: 1)
    case .lastDefinition: define("y", at: 5, pending: 0)
    case .silence: state.checkSilence(10_000_000_000)
    case .noSilence: state.checkSilence(9_999_999_999)
    case .heartbeat: state.received(status: 100, pending: 0, 0)
    case .pullIsOver: state.received(status: 408, pending: 250, 0)
    case .consumerIsGone: state.received(status: 409, pending: 0, 0)
    case .reopen: state.reopen()
    }
  }

  private mutating func define(
    _ line: String,
    at sequence: UInt64,
    pending: UInt64
  ) -> [SharedNamesState.Step] {
    let entry = SharedNamesState.Entry(sequence: sequence, line: line)
    return state.received("a", entry, pending: pending, 0)
  }

  /// The phase, and whether all definitions are read.
  var shown: [String] { ["\(state.phase)"] + (state.isRead ? ["read"] : []) }
}
