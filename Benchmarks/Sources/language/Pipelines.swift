import FlowCore
import FlowLanguage
import Measure

/// Orders through pipelines, from their bytes to bytes.
func pipelines() throws(Diagnostic) -> [Row] {
  [
    try row("orders"),
    try row("orders.filter { $0.price > 10 }"),
    try row("orders.filter { $0.price > 10 }.map { $0.price * 2 }"),
    try row(#"orders.map { ["id": $0.id, "sum": $0.price * $0.quantity] }"#),
    try row("orders.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)"),
    try numbers("(1...500000).publisher.filter { $0 % 3 == 0 }.map { $0 * 2 + 1 }"),
    try numbers("(1...500000).publisher.flatMap { Just($0 + 1) }"),
  ]
}

/// Half a million numbers that a pipeline makes itself.
private func numbers(_ text: String) throws(Diagnostic) -> Row {
  let pipeline = try Pipeline(text, lookup: { _ in nil }, names: { [] })
  return Row(text) { _ in
    let total = Total()
    let subscription = pipeline.publisher(in: Host()).sink(
      receiveCompletion: { _ in },
      receiveValue: { if case .int(let number) = $0 { total.value &+= number } }
    )
    subscription.cancel()
    return total.take()
  }.counted()
}

private func row(_ text: String) throws(Diagnostic) -> Row {
  let pipeline = try Pipeline(
    text,
    lookup: { $0 == "orders" ? .subject : nil },
    names: { ["orders"] }
  )
  return Row(text) { count in
    let host = Host()
    let total = Total()
    let subscription = pipeline.publisher(in: host).sink(
      receiveCompletion: { fatalError("\(text) ended: \($0)") },
      receiveValue: { total.value &+= $0.withBytes(\.count) }
    )
    for _ in 0..<count { host.orders.send(order.withUnsafeBytes { Value(bytes: $0) }) }
    subscription.cancel()
    return total.take()
  }.counted()
}

/// A host with one subject.
private final class Host: PipelineContext {
  let orders = PassthroughSubject<Value, PipelineFailure>()
  let clock = VirtualTimeScheduler()
  let innerPublisherLimit = 1000
  let memoryBudget = MemoryBudget()
  lazy var work = Work(timeSlice)
  // Nobody else wants a turn.
  let timeSlice = TimeSlice(limit: .max, spent: { 0 }, askForTurn: {})

  func subject(
    _ name: String,
    counters: StageCounters?
  ) -> AnyPublisher<Value, PipelineFailure> {
    orders.eraseToAnyPublisher()
  }

  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable {
    if !new, set.contains("orders") { join("orders") }
    return AnyCancellable {}
  }

  func ask(_ name: String, _ argument: Value) -> AnyPublisher<Value, PipelineFailure> {
    fatalError("there are no services")
  }

  func dropped(_ count: Int, _ reason: DropReason) { fatalError("a value was dropped") }

  func log(_ line: String) {}
}
