import Dispatch
import Glibc
import Synchronization

/// Turns the first of some signals, such as SIGINT, into a call; the second one ends the program at once.
final class EndingSignals: @unchecked Sendable {  // `sources` changes in `init` only
  private var sources: [any DispatchSourceSignal] = []
  private let first = Mutex<Int32?>(nil)

  /// The signal that came, if one did.
  var received: Int32? { first.withLock { $0 } }

  init(_ numbers: [Int32] = [SIGINT, SIGTERM], _ act: @escaping @Sendable () -> Void) {
    for number in numbers where !Self.isIgnored(number) {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(
        signal: number,
        queue: DispatchQueue(label: "flowclient.signals")
      )
      source.setEventHandler { @Sendable [weak self] in self?.take(number, act) }
      // Activation comes later, on another thread; a signal before it would be lost.
      let isActive = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { @Sendable in isActive.signal() }
      source.activate()
      isActive.wait()
      sources.append(source)
    }
  }

  private func take(_ number: Int32, _ act: @Sendable () -> Void) {
    let isFirst = first.withLock {
      guard $0 == nil else { return false }
      $0 = number
      return true
    }
    if isFirst { act() } else { StandardStreams.end(by: number) }
  }

  /// A program started in the background by a script must go on ignoring them.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    unsafe sigaction(number, nil, &action)
    // memory 7
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}
