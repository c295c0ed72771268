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
}
