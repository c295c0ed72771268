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
    let things = (0..<RandomCases.count(200_000)).map { _ in Thing() }
    onFourThreads { number in
      for thing in things {
        if number == 0 { thing.close() } else { thing.call() }
      }
    }
    #expect(things.count { $0.released.load(ordering: .relaxed) != 1 } == 0)
  }
}
