import Dispatch
import Measure

/// Operators that no hot path hangs on, between a subject and a sink.
nonisolated(unsafe) let everyday = plainOperators + throwingOperators + outside

nonisolated(unsafe) private let plainOperators = [
  scenario("removeDuplicates") { $0.removeDuplicates().sink($1) },
  scenario("dropFirst") { $0.dropFirst().sink($1) },
  scenario("prefix") { $0.prefix(1 << 40).sink($1) },
  scenario("drop(while:)") { $0.drop { $0 < 1 }.sink($1) },
  scenario("prefix(while:)") { $0.prefix { $0 > 0 }.sink($1) },
  scenario("handleEvents") { $0.handleEvents(receiveOutput: { _ in }).sink($1) },
  scenario("collect(4)") { $0.collect(4).map(\.count).sink($1) },
  scenario("catch") { $0.catch { _ in Just(0) }.sink($1) },
  scenario("retry") { $0.retry(1).sink($1) },
  scenario("share") { $0.share().sink($1) },
  scenario("append") { $0.append(0).sink($1) },
  scenario("assign") { $0.assign(to: \.value, on: $1) },
]

nonisolated(unsafe) private let throwingOperators = [
  scenario("tryMap") { $0.tryMap { $0 &+ 1 }.replaceError(with: 0).sink($1) },
  scenario("tryFilter") { $0.tryFilter { $0 > 0 }.replaceError(with: 0).sink($1) },
]

nonisolated(unsafe) private let outside = [
  scenario("debounce") { $0.debounce(for: .seconds(9), scheduler: scheduler(.global())).sink($1) },
  Scenario("values") { n in
    nonisolated(unsafe) let total = Total()
    let done = DispatchSemaphore(value: 0)
    Task {
      for await value in (1...n).publisher.values { total.value &+= value }
      done.signal()
    }
    done.wait()
    return total.take()
  },
]

/// Somewhere to add values up that is an object.
final class Sum {
  var total = 0
  var value: Int {
    get { total }
    set { total &+= newValue }
  }
}

extension Publisher where Output == Int, Failure == Never {
  fileprivate func sink(_ sum: Sum) -> AnyCancellable { sink { sum.total &+= $0 } }
}

private func scenario(
  _ name: String,
  _ subscribe: @escaping (PassthroughSubject<Int, Never>, Sum) -> AnyCancellable
) -> Scenario {
  Scenario("subject-" + name) { n in
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let link = subscribe(subject, sum)
    for value in 1...n { subject.send(value) }
    link.cancel()
    return sum.total
  }
}
