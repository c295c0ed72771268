// Measures calls: a worker that does nothing, through a server that runs already.
//
//     swift run -c release calls [ADDRESS]
//
// The worker is one FlowRemote connection with 64 jobs; another connection reads what the pipeline
// `… .flatMap { ask(empty, $0) }` gives. First as many calls as there can be, then a thousand a
// second, each with its time from `send` to the answer's arrival: through the server to the worker
// and back.

import Dispatch
import FlowCore
import FlowRemote
import Synchronization

let address = CommandLine.arguments.dropFirst().first ?? "127.0.0.1:3569"
let worker = try await FlowRemote.connect(to: address)
let client = try await FlowRemote.connect(to: address)
let service = worker.serve("empty", jobs: 64) { Just($0) }
try await worker.command("PING")

for round in 1...3 {
  let count = 500_000
  let expression = "(1...\(count)).publisher.flatMap(maxPublishers: .max(64)) { ask(empty, $0) }"
  let start = ContinuousClock.now
  var received = 0
  for try await number in client.publisher(expression).count().values { received = number }
  let length = start.duration(to: .now)
  let rate = Double(received) / (length / .seconds(1))
  print("round \(round): \(received) calls in \(length), \(Int(rate)) calls/s")
}

let name = "calls\(UInt32.random(in: 0 ... .max))"
try await client.command("SUBJECT \(name)")
let latencies = Mutex<[UInt64]>([])
let reading = client.publisher("\(name).flatMap { ask(empty, $0) }", as: UInt64.self).sink(
  receiveCompletion: { @Sendable in print("ended: \($0)") },
  receiveValue: { @Sendable sent in
    let now = DispatchTime.now().uptimeNanoseconds
    latencies.withLock { $0.append(now - sent) }
  }
)
try await client.command("PING")

let subject = client.subject(name, as: UInt64.self)
let clock = ContinuousClock()
let first = clock.now
for number in 0..<5000 {
  try await clock.sleep(until: first + .milliseconds(number), tolerance: .zero)
  subject.send(DispatchTime.now().uptimeNanoseconds)
}
try await client.command("PING")
try await clock.sleep(for: .milliseconds(100))
let sorted = latencies.withLock { $0.sorted() }
for percent in [50, 90, 99] {
  print("p\(percent) \(Double(sorted[sorted.count * percent / 100]) / 1000) µs")
}
print("\(sorted.count) of 5000 answered")
try await client.command("DELETE \(name)")
