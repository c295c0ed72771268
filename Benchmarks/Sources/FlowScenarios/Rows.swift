import Measure

// How a publisher becomes a row: pushed by a sink that asks for everything, and pulled by somebody
// outside who asks for some values, again and again. Inlined, so that the optimiser sees the
// operators as a program's own code.

/// A row whose publisher has its values from a sequence.
@inline(__always)
func ofSequence<P: Publisher>(
  _ name: String,
  isPulled: Bool = true,
  _ make: @escaping (_ elements: Int) -> P
) -> Scenario where P.Output == Int, P.Failure == Never {
  let run: Scenario.Work = { n in
    let total = Total()
    let link = make(n).sink { total.value ^= $0 }
    link.cancel()
    return total.take()
  }
  guard isPulled else { return Scenario(name, run: run) }
  return Scenario(name, run: run) { n, size in
    let total = Total()
    let puller = Puller(total)
    make(n).subscribe(puller)
    while !puller.isDone { puller.request(size) }
    return total.take()
  }
}

typealias Source = PassthroughSubject<Int, Never>

/// A row whose publisher has its values from a subject; with `isHeld` they are sent before they are
/// asked for, and so wait.
@inline(__always)
func ofSubject<P: Publisher>(
  _ name: String,
  isHeld: Bool = false,
  _ make: @escaping (Source) -> P
) -> Scenario where P.Output == Int, P.Failure == Never {
  of(name, isHeld: isHeld, Source(), make: make) { $0.send($1) }
}

/// A row whose publisher has its values from two subjects, half of them from each.
@inline(__always)
func ofPair<P: Publisher>(
  _ name: String,
  _ make: @escaping (Source, Source) -> P
) -> Scenario where P.Output == Int, P.Failure == Never {
  of(name, isHeld: false, (Source(), Source()), make: { make($0.0, $0.1) }) { sources, value in
    if value & 1 == 0 { sources.0.send(value) } else { sources.1.send(value) }
  }
}

/// A row whose publisher has its values from `source`.
@inline(__always)
func of<S, P: Publisher>(
  _ name: String,
  isHeld: Bool = false,
  _ source: @escaping @autoclosure () -> S,
  make: @escaping (S) -> P,
  send: @escaping (S, Int) -> Void
) -> Scenario where P.Output == Int, P.Failure == Never {
  Scenario(name) { n in
    let total = Total()
    let source = source()
    let link = make(source).sink { total.value ^= $0 }
    for value in 1...n { send(source, value) }
    link.cancel()
    return total.take()
  } pulled: { n, size in
    let total = Total()
    let source = source()
    let puller = Puller(total)
    make(source).subscribe(puller)
    // What is not held is missed without demand, and some send a value of their own first.
    if !isHeld { puller.request(1) }
    var next = 1
    while next <= n {
      let end = min(next + size, n + 1)
      if !isHeld { puller.request(size) }
      for value in next..<end { send(source, value) }
      if isHeld { puller.request(size) }
      next = end
    }
    puller.cancel()
    return total.take()
  }
}

/// Takes what comes, and leaves it to others to ask.
final class Puller: Subscriber {
  typealias Input = Int
  typealias Failure = Never

  private let total: Total
  @exclusivity(unchecked) private var subscription: (any Subscription)?
  @exclusivity(unchecked) private(set) var isDone = false

  init(_ total: Total) { self.total = total }

  func request(_ size: Int) {
    guard let subscription else { return }
    subscription.request(.max(size))
  }

  func cancel() {
    guard let subscription else { return }
    subscription.cancel()
  }

  func receive(subscription: any Subscription) { self.subscription = subscription }

  func receive(_ input: Int) -> Subscribers.Demand {
    total.value ^= input
    return .none
  }

  func receive(completion: Subscribers.Completion<Never>) {
    subscription = nil
    isDone = true
  }
}
