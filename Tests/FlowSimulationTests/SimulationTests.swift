import FlowSimulation
import FlowTestSupport
import Testing

@Suite("The simulation")
struct SimulationTests {
  /// In the last one, publications of one client wait for a full socket.
  @Test(
    "two runs of one seed are equal in every byte",
    arguments: Array(RandomCases.seeds(12)) + [16_001_312]
  )
  func deterministic(_ seed: UInt64) {
    let story = Author.story(seed)
    let runs = (0..<2).map { _ in Play(story, keepsTranscript: true).run() }
    #expect(runs[0].transcript == runs[1].transcript)
    #expect(runs[0].fingerprint == runs[1].fingerprint)
  }

  @Test(
    "a story is the same again when it is read from its text",
    arguments: RandomCases.seeds(8)
  )
  func text(_ seed: UInt64) throws {
    let story = Author.story(seed)
    let read = try #require(Story("\(story)"))
    #expect("\(read)" == "\(story)")
    #expect(Play(read).run().fingerprint == Play(story).run().fingerprint)
  }

  @Test("what once failed does so no more")
  func stored() {
    #expect(Story.stored.count >= 4)
    for (name, story) in Story.stored {
      #expect(Play(story).run().complaints == [], "\(name)")
    }
  }

  /// `Scripts/ci simulation` plays hundreds.
  @Test("some seeds, as a beginning", arguments: RandomCases.seeds(16))
  func seeds(_ seed: UInt64) {
    #expect(Play(Author.story(seed)).run().complaints == [])
  }

  /// `Scripts/explore simulate nats` plays more, of which some still fail, as seed 15 does.
  @Test("servers on one NATS keep their promises", arguments: RandomCases.seeds(14))
  func nats(_ seed: UInt64) throws {
    let story = NATSAuthor.story(seed)
    let outcome = Play(story).run()
    #expect(outcome.complaints == [])
    let read = try #require(Story("\(story)"))
    #expect("\(read)" == "\(story)")
    #expect(Play(read).run().fingerprint == outcome.fingerprint)
  }

  @Test("a server tells what NATS loses, and where values of a killed one go on")
  func losses() throws {
    for (name, words) in [
      ("nats-loses-an-end", ["A< DROP 1 2 gap", "A< ERR away NATS has lost the end of the "]),
      ("nats-loses-a-stream", ["B< ERR away NATS has lost the stream of n0", "D< = 1 31"]),
      ("nats-stops-and-a-server-dies", ["B< = 1 1000041"]),
    ] {
      let stored = Story.stored.first { $0.name == "\(name).story" }
      let story = try #require(stored?.story, "\(name)")
      let lines = Play(story, keepsTranscript: true).run().transcript
      for text in words { #expect(lines.contains { $0.contains(text) }, "\(name): \(text)") }
    }
  }
}
