import FlowWire
import Testing

@testable import flowclient

@Suite("top: its keys")
struct TopKeysTests {
  @Test("are read at once, with an escape at the end")
  func read() {
    var reader = KeyReader()
    #expect(reader.readAtOnce("j\u{1b}".utf8) == [.character("j"), .escape])
    #expect(reader.readAtOnce("\u{1b}[5~\u{1b}[6~".utf8) == [.pageUp, .pageDown])
    #expect(reader.readAtOnce("\u{1b}[".utf8) == [])
    #expect(reader.readAtOnce("Aq".utf8) == [.up, .character("q")])
  }

  private let names = ["a", "b", "c"]

  private func state(_ keys: [TerminalKey]) -> TopState {
    var state = TopState(TopRequest())
    for key in keys { _ = state.press(key, names: names, page: 2) }
    return state
  }

  @Test("select a name, show its stages and go back to it")
  func select() {
    #expect(state([.down]).selected == "b")
    #expect(state([.down, .down, .down, .character("j")]).selected == "c")
    #expect(state([.end, .up]).selected == "b")
    #expect(state([.pageDown, .home]).selected == "a")
    #expect(state([.enter]).detail == "a")
    let back = state([.down, .enter, .escape])
    #expect(back.detail == nil && back.selected == "b")
    #expect(state([.enter, .down, .down, .up]).scroll == 1)
  }

  @Test("go through the subscriptions one by one, and back to all of them")
  func streams() {
    let streams = [("9.4"), ("7.1"), ("7.12")].compactMap { StreamPlace($0[...]) }
    var state = state([.enter])
    func press(_ key: TerminalKey) -> String {
      let effect = state.press(key, names: names, page: 2, streams: streams)
      return "\(state.stream?.description ?? "all") \(effect == .ask)"
    }
    let next = TerminalKey.character("n")
    #expect(
      [next, next, next, next].map(press) == ["7.1 true", "7.12 true", "9.4 true", "all true"]
    )
    #expect(press(.character("N")) == "9.4 true")
    #expect(press(.escape) == "all true" && state.detail == "a")
    #expect(press(next) == "7.1 true")
    // One that has gone is left.
    #expect(state.press(next, names: names, page: 2, streams: []) == .ask && state.stream == nil)
    #expect(state.press(next, names: names, page: 2, streams: []) == nil)
    #expect(press(.escape) == "all true" && state.detail == nil)
    #expect(press(next) == "all false")
  }

  @Test("sort, filter, hold and help")
  func others() {
    #expect(state([.character("s")]).sort == .name)
    #expect(state([.character("/"), .character("x"), .character("q")]).typed == "xq")
    let filtered = state([.character("/"), .character("x"), .character("y"), .backspace, .enter])
    #expect(filtered.filter == "x" && filtered.typed == nil)
    #expect(state([.character("/"), .character("x"), .enter, .escape]).filter == "")
    #expect(state([.character("p")]).isPaused)
    #expect(state([.character("?")]).showsHelp)
    #expect(!state([.character("?"), .character("x")]).showsHelp)
  }

  @Test("end it, or ask at once")
  func effects() {
    var state = TopState(TopRequest())
    #expect(state.press(.character("q"), names: names, page: 2) == .quit)
    #expect(state.press(.control("d"), names: names, page: 2) == .quit)
    #expect(state.press(.control("c"), names: names, page: 2) == .interrupt)
    #expect(state.press(.control("z"), names: names, page: 2) == .suspend)
    #expect(state.press(.enter, names: names, page: 2) == .ask)
    #expect(state.press(.backspace, names: names, page: 2) == .ask)
    #expect(state.press(.enter, names: [], page: 2) == nil)
  }
}
