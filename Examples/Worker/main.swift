// A worker: it answers each call of `ask(factors, …)` with a publisher, two calls at a time.
//
//     swift run -c release FlowServer demo        in one terminal
//     swift run -c release ExampleWorker          in a second one
//     flowclient sub '(90...99).publisher.flatMap(maxPublishers: .max(2)) { ask(factors, $0) }'
//
// You can start several workers; each gets calls while it has free jobs.

import Dispatch
import FlowCore
import FlowRemote

struct Answer: Codable {
  var number: Int
  var factors: [Int]
}

func answer(_ number: Int) -> Answer {
  Answer(number: number, factors: (1...max(1, number)).filter { number % $0 == 0 })
}

let address = CommandLine.arguments.dropFirst().first ?? "127.0.0.1:3569"
let remote = try await FlowRemote.connect(to: address)
let ended = PassthroughSubject<Never, RemoteError>()
let work = DispatchQueue(label: "work", attributes: .concurrent)

let service = remote.serve(
  "factors",
  taking: Int.self,
  jobs: 2,
  ended: { ended.send(completion: .failure($0)) }
) { number in
  Just(number).receive(on: work).map(answer)
}
print("serving factors, two at a time; control-C ends it")
for try await _ in ended.values {}
