import FlowWire
import Testing

@testable import FlowServer

@Suite("Session")
struct SessionTests {
  @Test("answers HELLO once and is quiet afterwards")
  func hello() {
    var session = Session()
    #expect(say("HELLO 1", &session) == "OK hello 1\n")
    #expect(!session.isTyped)
    #expect(say("HELLO 1", &session).hasPrefix("ERR usage "))
    session.opened(1, .subscription, "orders")
    #expect(say("DONE 9", &session).hasPrefix("@! ERR unknown-stream "))
  }

  @Test("stays typed when asked for a version it does not speak")
  func version() {
    var session = Session()
    #expect(say("HELLO 2", &session) == "ERR version supported=1\n")
    #expect(session.isTyped)
  }

  @Test("echoes the tag before the answer")
  func tag() {
    var session = Session()
    #expect(say("@a.1 PING hi", &session) == "@a.1 PONG hi\n")
  }

  @Test("gives the highest id used plus one")
  func ids() throws {
    var session = Session()
    #expect(try openedID("SUB a", &session) == 1)
    session.opened(7, .subscription, "a")
    #expect(try openedID("SUB a", &session) == 8)
    session.closed(7)
    #expect(try openedID("SUB a", &session) == 8)
    #expect(try openedID("SUB a as=3", &session) == 3)
  }

  @Test("refuses an id that is in use")
  func idInUse() {
    var session = Session()
    session.opened(4, .subscription, "a")
    #expect(say("SUB a as=4", &session).hasPrefix("ERR id-in-use "))
  }

  @Test(
    "tells an ended stream from one that never was",
    arguments: [
      ("REQ 2 1", "OK req 2 ended\n"),
      ("CANCEL 2", "OK cancel 2 ended\n"),
      ("DONE 2", "OK done 2 ended\n"),
      ("FAIL 2 oops it broke", "OK fail 2 ended\n"),
      ("REQ 9 1", "ERR unknown-stream no stream has the id 9; open: 1, 3\n"),
      ("CANCEL 9", "ERR unknown-stream no stream has the id 9; open: 1, 3\n"),
      ("DONE 9", "ERR unknown-stream no stream has the id 9; open: 1, 3\n"),
      ("DONE 1", "ERR usage stream 1 sends to you; CANCEL 1 ends it\n"),
      ("CANCEL 3", "ERR usage you send on stream 3; DONE 3 ends it\n"),
      ("REQ 0 1", "ERR unknown-stream no stream has the id 0; open: 1, 3\n"),
      ("CANCEL 0", "ERR unknown-stream no stream has the id 0; open: 1, 3\n"),
      ("DONE 0", "ERR unknown-stream no stream has the id 0; open: 1, 3\n"),
      ("REQ other 1", "ERR unknown-stream no stream is open on other; open: 1, 3\n"),
    ]
  )
  func streams(_ line: String, _ answer: String) {
    var session = Session()
    session.opened(1, .subscription, "orders")
    session.opened(2, .subscription, "orders")
    session.opened(3, .publication, "orders")
    session.closed(2)
    #expect(say(line, &session) == answer)
  }

  @Test("takes a name where exactly one stream is on it")
  func names() throws {
    var session = Session()
    session.opened(1, .subscription, "orders")
    guard case .request(1, .max(5)) = action("REQ orders 5", &session) else {
      Issue.record("REQ by name found no stream")
      return
    }
    session.opened(2, .subscription, "orders")
    #expect(
      say("REQ orders 5", &session) == "ERR usage streams 1, 2 are all on orders; say which\n"
    )
  }

  @Test("counts errors in a row and forgets them at the first success")
  func errors() {
    var session = Session()
    for count in 1...3 {
      _ = say("nonsense", &session)
      #expect(session.errorsInARow == count)
    }
    _ = say("PING", &session)
    #expect(session.errorsInARow == 0)
  }

  @Test("opens nothing while the server goes away")
  func draining() {
    var session = Session()
    session.isDraining = true
    #expect(say("SUB a", &session).hasPrefix("ERR draining "))
    #expect(say("SUBJECT a", &session).hasPrefix("ERR draining "))
    #expect(say("PING", &session) == "PONG\n")
  }

  private func action(_ line: String, _ session: inout Session) -> Session.Action {
    do throws(CommandError) {
      return session.handle(try CommandLine(line))
    } catch {
      session.refuse(error, line)
      return .none
    }
  }

  private func say(_ line: String, _ session: inout Session) -> String {
    _ = action(line, &session)
    return String(decoding: session.takeOutput(), as: UTF8.self)
  }

  private func openedID(_ line: String, _ session: inout Session) throws -> UInt64 {
    guard case .subscribe(_, let subscription) = action(line, &session) else {
      throw SessionTestError.notASubscription
    }
    return subscription.id
  }
}

private enum SessionTestError: Error { case notASubscription }
