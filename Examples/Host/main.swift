// A program that hosts a server of its own.
//
//     swift run -c release ExampleHost
//     flowclient sub squares
//     flowclient send numbers 1 2 3

import Dispatch
import FlowServer

let server = Server { event in print(event) }
try server.load("SUBJECT numbers\nPIPELINE squares = numbers.map { $0 * $0 }\n", file: "squares")
print("listening on \(try server.listen(on: "127.0.0.1:3569"))")
dispatchMain()
