// A publisher under demand: it has a million values ready, and sends only those that are requested.
//
//     swift run -c release FlowServer demo        in one terminal
//     flowclient sub orders --manual              in a second one; press space to request a value
//     swift run -c release ExamplePublisher       in a third one
//
// `orders` is a flow=slowest subject, so its slowest subscriber sets the pace.

import FlowCore
import FlowRemote

struct Order: Codable {
  var id: Int
  var price: Int
}

let address = CommandLine.arguments.dropFirst().first ?? "127.0.0.1:3569"
let remote = try await FlowRemote.connect(to: address)
let ended = PassthroughSubject<Never, RemoteError>()

let publishing = (1...1_000_000).publisher
  .map { Order(id: $0, price: $0 % 100) }
  .handleEvents(receiveRequest: { print("asked for \($0)") })
  .subscribe(remote.subject("orders", as: Order.self) { ended.send(completion: $0) })
for try await _ in ended.values {}
print("all million have been taken")
