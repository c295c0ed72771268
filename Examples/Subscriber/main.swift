// A remote subscriber: it works on three values at a time, and requests another when it finishes one.
//
//     swift run -c release FlowServer demo        in one terminal
//     swift run -c release ExampleSubscriber      in a second one
//     seq 12 | flowclient send orders             in a third one
//
// `orders` is a flow=slowest subject, so `send` waits for this program and nothing is lost.

import Dispatch
import FlowCore
import FlowRemote

let address = CommandLine.arguments.dropFirst().first ?? "127.0.0.1:3569"
let remote = try await FlowRemote.connect(to: address)
let queue = DispatchQueue(label: "work")

let results = remote.publisher("orders", as: Int.self)
  .handleEvents(receiveRequest: { print("asking for \($0)") })
  .flatMap(maxPublishers: .max(3)) { number in
    Just("\(number) squared is \(number * number)")
      .setFailureType(to: RemoteError.self)
      .delay(for: .seconds(1), scheduler: queue)
  }
for try await result in results.values { print(result) }
