import CLinux
import Foundation

/// The program `simulate`.
package enum Simulate {
  private static let help = """
    simulate SECONDS [SEED]   stories of SEED, SEED + 1, and so on, for so long
    simulate SECONDS today    the same, from the seed of the day (UTC)
    simulate seed SEED        the story of one seed, and all that was said
    simulate story SEED       the story of one seed, as a file
    simulate FILE             a story from a file
    simulate stored           all that once failed
    simulate nats …           the first four with stories of servers that share a NATS

    """

  /// Returns the exit code.
  package static func run(_ words: [String]) -> Int32 {
    var words = words.dropFirst()
    var author: (UInt64) -> Story = Author.story
    if words.first == "nats" {
      words = words.dropFirst()
      author = NATSAuthor.story
    }
    switch (words.first, words.dropFirst().first.flatMap { UInt64($0) }) {
    case ("seed", let seed?): return tell(author(seed))
    case ("story", let seed?):
      print(author(seed), terminator: "")
      return 0
    case ("stored", _): return playStored()
    case (let word?, let seed):
      if let seconds = Double(word) {
        let isToday = words.dropFirst().first == "today"
        return search(seconds, from: seed ?? (isToday ? today : .random(in: 1..<1 << 40)), author)
      }
      return replay(word)
    case (nil, _):
      print(help, terminator: "")
      return 64
    }
  }

  /// So that what fails in CI fails again for whoever plays it on the same day: `YYYYMMDD000000`.
  private static var today: UInt64 {
    let day = Date().formatted(.iso8601.year().month().day().dateSeparator(.omitted))
    return (UInt64(day) ?? 0) * 1_000_000
  }

  private static func search(
    _ seconds: Double,
    from first: UInt64,
    _ author: (UInt64) -> Story
  ) -> Int32 {
    print("seed \(first)")
    let start = Date()
    var seed = first
    var time: UInt64 = 0
    var coverage: [String: Int] = [:]
    var failure: (seed: UInt64, complaint: String)?
    LastWords.prepare()
    while failure == nil, Date().timeIntervalSince(start) < seconds {
      LastWords.set("\nseed \(seed) crashes, or has no end\n")
      let outcome = play(author(seed))
      time += outcome.time
      coverage.merge(outcome.coverage, uniquingKeysWith: +)
      if let complaint = outcome.complaints.first {
        failure = (seed, complaint)
        LastWords.limit(to: 0)
        report(seed, outcome.complaints)
        explain(Shrinker(complaint).shrink(author(seed)))
      }
      seed += 1
    }
    let rate = Double(seed - first) / Date().timeIntervalSince(start)
    let hours = Double(time) / 3.6e12
    print(Coverage(coverage), terminator: "")
    print(String(format: "%d stories, %.0f a second, %.0f hours", seed - first, rate, hours))
    // The transcript is long, and what is read first is often the end.
    if let failure { print("seed \(failure.seed) fails: \(failure.complaint)") }
    return failure == nil ? 0 : 1
  }

  /// Plays a story; every sixteenth some times more, which must go the same way and leave nothing.
  private static func play(_ story: Story) -> Outcome {
    var outcome = playOnce(story)
    guard story.seed % 16 == 0 else { return outcome }
    if playOnce(story).fingerprint != outcome.fingerprint {
      outcome.complaints.append("two runs of one seed differ")
    }
    // What grows for a while may be a cache: each thread has one of its own.
    if (0..<24).allSatisfy({ _ in bytesLeft(by: story) > bytesOfChance }) {
      outcome.complaints.append("three runs leave more than \(bytesOfChance) bytes, each time")
    }
    return outcome
  }

  private static func playOnce(_ story: Story) -> Outcome {
    LastWords.limit(to: 60)
    return Play(story).run()
  }

  /// How many bytes more are in use when the story has been played three times, apart from Dispatch's own.
  private static func bytesLeft(by story: Story) -> Int {
    let before = Int(mallinfo2().uordblks)
    var loops = 0
    for _ in 0..<3 { loops += playOnce(story).loops }
    return Int(mallinfo2().uordblks) - before - loops * bytesOfQueue
  }

  /// When a queue with a specific value goes, a worker thread destroys the value, and keeps the continuation
  /// (64 bytes, and 16 of the allocator) in a list of its own.
  private static let bytesOfQueue = 80

  /// What caches and the allocator itself may take meanwhile.
  private static let bytesOfChance = 4096

  private static func report(_ seed: UInt64, _ complaints: [String]) {
    print("seed \(seed) fails:")
    for complaint in complaints.prefix(5) { print("  \(complaint)") }
  }

  private static func explain(_ story: Story) {
    print("\nas short as it gets:\n\n\(story)\nand what is said:\n")
    for line in Play(story, keepsTranscript: true).run().transcript { print(line) }
    print("")
  }

  private static func replay(_ path: String) -> Int32 {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8), let story = Story(text)
    else {
      print("there is no story in \(path)")
      return 66
    }
    return tell(story)
  }

  private static func tell(_ story: Story) -> Int32 {
    let outcome = Play(story, keepsTranscript: true).run()
    for line in outcome.transcript { print(line) }
    return outcome.complaints.isEmpty ? 0 : 1
  }

  private static func playStored() -> Int32 {
    var failures: Int32 = 0
    for (name, story) in Story.stored {
      let complaints = Play(story).run().complaints
      if complaints.isEmpty { continue }
      failures += 1
      print("\(name) fails:")
      for complaint in complaints { print("  \(complaint)") }
    }
    print("\(Story.stored.count) stored stories, \(failures) fail")
    return failures == 0 ? 0 : 1
  }
}

extension Story {
  /// What once failed, by the names of their files.
  package static var stored: [(name: String, story: Story)] {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let folder = here.appendingPathComponent("Stored")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      let text = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      return text.flatMap { Story($0) }.map { (name, $0) }
    }
  }
}
