import FlowCore
import FlowLanguage
import Testing

@Suite("share and what its subscribers miss")
struct SharingTests {
  private let host = TestHost(subjects: "taps")

  private func subscribe(_ demand: Subscribers.Demand) throws -> Recorder {
    let recorder = Recorder(host.clock, demand: demand)
    try #require(host.pipelines["shared"]).publisher(in: host).subscribe(recorder)
    return recorder
  }

  @Test("a subscriber without demand misses values, which is told")
  func missed() throws {
    host.pipelines["shared"] = try host.pipeline("taps.share()")
    let fast = try subscribe(.unlimited)
    let slow = try subscribe(.max(1))
    for number in 1...4 { host.send("\(number)", to: "taps") }
    #expect(fast.joined == "1 2 3 4")
    #expect(slow.joined == "1")
    #expect(host.drops == [.noDemand: 3])
    slow.subscription?.request(.max(1))
    host.send("5", to: "taps")
    #expect(slow.joined == "1 5")
    #expect(host.drops == [.noDemand: 3])
    host.send("6", to: "taps")
    host.subjects["taps"]?.send(completion: .finished)
    #expect(slow.completions == [.finished])
    #expect(host.drops == [.noDemand: 4])
  }

  @Test("what is missed is told at once, and not once more with a cancellation or the end")
  func atOnce() throws {
    for (text, drops) in [
      ("taps.share()", [.noDemand: 4]), ("taps.share(replay: 0)", [.noDemand: 4]),
      ("taps.share(replay: 1)", [.bufferOldest: 3]),
      ("taps.map { $0 }.share(replay: 3).map { $0 }", [DropReason.bufferOldest: 1]),
    ] {
      host.drops = [:]
      host.pipelines["shared"] = try host.pipeline(text)
      let (first, second) = (try subscribe(.max(1)), try subscribe(.unlimited))
      for number in 1...5 { host.send("\(number)", to: "taps") }
      #expect(first.joined == "1" && second.joined == "1 2 3 4 5", "\(text)")
      #expect(host.drops == drops, "\(text)")
      first.cancel()
      second.cancel()
      #expect(host.drops == drops, "\(text)")
    }
    host.drops = [:]
    host.pipelines["shared"] = try host.pipeline("taps.share()")
    let last = try subscribe(.max(1))
    for number in 1...3 { host.send("\(number)", to: "taps") }
    host.subjects["taps"]?.send(completion: .finished)
    #expect(last.completions == [.finished])
    #expect(host.drops == [.noDemand: 2])
  }

  @Test("late subscribers are sent the last values, and miss only what newer ones replaced")
  func replay() throws {
    host.pipelines["shared"] = try host.pipeline("taps.share(replay: 2)")
    let first = try subscribe(.unlimited)
    for number in 1...3 { host.send("\(number)", to: "taps") }
    let late = try subscribe(.unlimited)
    #expect(first.joined == "1 2 3")
    #expect(late.joined == "2 3")
    let slow = try subscribe(.none)
    for number in 4...6 { host.send("\(number)", to: "taps") }
    #expect(host.drops == [.bufferOldest: 3])
    slow.subscription?.request(.unlimited)
    #expect(slow.joined == "5 6")
    #expect(host.drops == [.bufferOldest: 3])
  }

  @Test("after the last has left, the next begins anew")
  func again() throws {
    host.pipelines["shared"] = try host.pipeline("taps.share(replay: 1)")
    let first = try subscribe(.unlimited)
    for number in 1...3 { host.send("\(number)", to: "taps") }
    first.cancel()
    let next = try subscribe(.unlimited)
    host.send("4", to: "taps")
    #expect(next.joined == "4")
    #expect(host.drops.isEmpty)
  }
}
