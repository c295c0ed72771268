import Dispatch
import Measure

/// Operators that no hot path hangs on, between a subject and a sink.
nonisolated(unsafe) let everyday = plainOperators + throwingOperators + outside

nonisolated(unsafe) private let plainOperators = [
  ofSubject("subject-map(\\.magnitude)") { $0.map(\.magnitude).map { Int($0) } },
  ofSubject("subject-removeDuplicates") { $0.removeDuplicates() },
  ofSubject("subject-dropFirst") { $0.dropFirst() },
  ofSubject("subject-prefix") { $0.prefix(1 << 40) },
  ofSubject("subject-output") { $0.output(in: 1...1 << 40) },
  ofSubject("subject-drop(while:)") { $0.drop { $0 < 1 } },
  ofSubject("subject-prefix(while:)") { $0.prefix { $0 > 0 } },
  ofSubject("subject-handleEvents") { $0.handleEvents(receiveOutput: { _ in }) },
  ofSubject("subject-collect(4)") { $0.collect(4).map(\.count) },
  ofSubject("subject-catch") { $0.catch { _ in Just(0) } },
  ofSubject("subject-retry") { $0.retry(1) },
  ofSubject("subject-share") { $0.share() },
  ofSubject("subject-append") { $0.append(0) },
  ofSubject("subject-prepend") { $0.prepend(0) },
  ofSubject("subject-reduce") { $0.reduce(0, ^) },
  ofSubject("subject-delay, no scheduler") {
    $0.delay(for: 0, scheduler: ImmediateScheduler.shared)
  },
  ofSubject("subject-throttle, no scheduler") {
    $0.throttle(for: 0, scheduler: ImmediateScheduler.shared, latest: true)
  },
]

nonisolated(unsafe) private let throwingOperators = [
  ofSubject("subject-tryMap") { $0.tryMap { $0 &+ 1 }.replaceError(with: 0) },
  ofSubject("subject-tryFilter") { $0.tryFilter { $0 > 0 }.replaceError(with: 0) },
]

nonisolated(unsafe) private let outside = [
  ofSubject("subject-debounce") { $0.debounce(for: .seconds(9), scheduler: scheduler(.global())) },
  Scenario("subject-assign") { n in
    let sum = Sum()
    let subject = PassthroughSubject<Int, Never>()
    let link = subject.assign(to: \.value, on: sum)
    for value in 1...n { subject.send(value) }
    link.cancel()
    return sum.total
  },
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
