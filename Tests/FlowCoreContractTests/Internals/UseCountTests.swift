import FlowTestSupport
import Synchronization
import Testing

@testable import FlowCore

@Suite("Use count")
struct UseCountTests {
  /// Something that several threads use and close, and that must be released exactly once.
  private final class Thing: Sendable {
    let uses = UseCount()
    let released = Atomic<Int>(0)

    func call() {
      guard uses.begin() else { return }
      endUse()
    }

    func close() {
      guard uses.begin() else { return }
      _ = uses.close()
      endUse()
    }

    private func endUse() {
      if uses.end() { released.wrappingAdd(1, ordering: .relaxed) }
    }
  }

  @Test("exactly one use is told to release, also with refused calls")
  func lastUse() {
    let things = (0..<RandomCases.count(20_000)).map { _ in Thing() }
    let called = Atomic<Int>(-1)
    onFourThreads { number in
      for (index, thing) in things.enumerated() {
        if number == 0 {
          // Closes it in the middle of the others' calls, if they run at all.
          var tries = 0
          while called.load(ordering: .relaxed) < index, tries < 1_000 { tries += 1 }
          thing.close()
        } else {
          called.store(index, ordering: .relaxed)
          for _ in 0..<1_000 where !thing.uses.isClosed { thing.call() }
        }
      }
    }
    #expect(things.count { $0.released.load(ordering: .relaxed) != 1 } == 0)
  }
}
