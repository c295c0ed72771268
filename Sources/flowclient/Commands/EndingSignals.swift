import Glibc
import Synchronization

/// Calls a closure at the first of some signals, such as SIGINT; a second one kills the program.
final class EndingSignals: @unchecked Sendable {  // `watches` changes in `init` only
  private let surroundings: any Surroundings
  private var watches: [Any] = []
  private let first = Mutex<Int32?>(nil)
  private let leaving: @Sendable () -> Void

  var received: Int32? { first.withLock { $0 } }

  init(
    _ numbers: [Int32] = [SIGINT, SIGTERM],
    of surroundings: any Surroundings,
    leaving: @escaping @Sendable () -> Void = {},
    _ act: @escaping @Sendable () -> Void
  ) {
    self.surroundings = surroundings
    self.leaving = leaving
    for number in numbers {
      let watch = surroundings.watchSignal(number) { [weak self] in self?.receive(number, act) }
      if let watch { watches.append(watch) }
    }
  }

  private func receive(_ number: Int32, _ act: @Sendable () -> Void) {
    let isFirst = first.withLock {
      guard $0 == nil else { return false }
      $0 = number
      return true
    }
    if isFirst { return act() }
    leaving()
    surroundings.end(by: number)
  }
}
