import Testing

@testable import flowclient

@Suite("What was typed before")
struct HistoryTests {
  @Test("comes back, and what was being typed as well")
  func walk() {
    var history = History(["a", "b"])
    #expect(history.older(than: "dra") == "b")
    #expect(history.older(than: "b") == "a")
    #expect(history.older(than: "a") == nil)
    #expect(history.newer() == "b")
    #expect(history.newer() == "dra")
    #expect(history.newer() == nil)
  }

  @Test("has no line twice in a row, no secret and nothing empty")
  func keeping() {
    var history = History()
    for line in [
      "PING", "PING", "", "  ", "AUTH 123", "@1 auth 123", "login me", " SEND a b", "LIST",
    ] {
      _ = history.add(line)
    }
    #expect(history.entries == ["PING", "LIST"])
    let isAdded = history.add("PING")
    #expect(isAdded)
    let isLongAdded = history.add("SEND a " + String(repeating: "b", count: History.longestLine))
    #expect(!isLongAdded)
  }

  @Test("keeps only the newest")
  func bound() {
    var history = History()
    for number in 0..<(History.longest + 10) { _ = history.add("PING \(number)") }
    #expect(history.entries.count == History.longest)
    #expect(history.entries.first == "PING 10")
  }

  @Test(
    "is the same from a file",
    arguments: ["PING", "a\nb", #"SEND a "\n\\""#, "注文 😀", "PIPELINE a = b\n  .map { $0 }"]
  )
  func file(_ line: String) {
    let text = History.fileLine("first") + History.fileLine(line)
    #expect(text.split(separator: "\n").count == 2)
    #expect(History(file: Array(text.utf8)).entries == ["first", line])
  }

  @Test("is found from its end backwards")
  func search() {
    let entries = ["SUB orders", "PING", "SUB prices", "LIST", "SUB prices"]
    var search = ReverseSearch()
    search.type("S", entries)
    #expect(search.found?.line == "SUB prices")
    search.type("UB", entries)
    #expect(search.found?.line == "SUB prices")
    search.older(entries)
    #expect(search.found?.line == "SUB orders")
    #expect(search.matchStart == 0)
    search.older(entries)
    #expect(search.isFailed)
    #expect(search.found?.line == "SUB orders")
    search.eraseLast(entries)
    #expect(search.found?.line == "SUB prices" && !search.isFailed)
    search.type("x", entries)
    #expect(search.isFailed)
  }
}
