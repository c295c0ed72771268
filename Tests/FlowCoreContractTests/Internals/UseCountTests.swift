import FlowTestSupport
import Synchronization
import Testing

@testable import FlowCore

@Suite("Use count")
struct UseCountTests {
  /// Calls and the end, from several threads, of one thing that must be let go of.
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

  @Test("whatever calls are refused meanwhile, it is let go of once")
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
