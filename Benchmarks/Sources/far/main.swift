// Measures what a subscriber far away gets: a server, a relay that delays both directions and limits
// the rate, and subscribers with different demands and windows behind it.
//
//     Benchmarks/far [--bytes N] [--rate MB] [--trips 0,2,20,200] [--seconds S]
//
// A FEED beside the server sends as fast as it may to a flow=slowest subject. The share is that of
// the bytes which a plain TCP connection gets through the same relay in the same run.

import Foundation

#if canImport(Glibc)
import Glibc
#endif

var options: [String: String] = [:]
var words = CommandLine.arguments.dropFirst()
while let option = words.popFirst() { options[option] = words.popFirst() ?? "" }

let serverPath = options["--server"] ?? "../.build/release/FlowServer"
let clientPath = options["--client"] ?? "../.build/release/flowclient"
let valueBytes = Int(options["--bytes"] ?? "") ?? 128
let rate = (Double(options["--rate"] ?? "") ?? 25) * 1e6
let trips = (options["--trips"] ?? "0,2,20,200").split(separator: ",").compactMap { Double($0) }
let seconds = Double(options["--seconds"] ?? "") ?? 2

// The server, its subject and who feeds it.

let folder = URL(fileURLWithPath: NSTemporaryDirectory())
  .appendingPathComponent("far-\(getpid())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let definitions = folder.appendingPathComponent("far.flow")
let ports = folder.appendingPathComponent("ports")
try "SUBJECT far flow=slowest\n".write(to: definitions, atomically: true, encoding: .utf8)
let server = Process()
server.executableURL = URL(fileURLWithPath: serverPath)
server.arguments = [
  "-c", definitions.path, "--listen", "127.0.0.1:0", "--ports-file", ports.path,
]
server.standardError = FileHandle.nullDevice
try server.run()
var port: UInt16?
while port == nil {
  precondition(server.isRunning, "the server did not start")
  usleep(20_000)
  let text = try? String(contentsOf: ports, encoding: .utf8)
  port = (text?.split(separator: "\n").first?.split(separator: ":").last).flatMap { UInt16($0) }
}
let serverPort = port!

func endlessly(_ descriptor: Int32, _ block: [UInt8]) {
  Thread.detachNewThread { while Sockets.send(descriptor, block) {} }
}

let line = [UInt8](repeating: UInt8(ascii: "x"), count: valueBytes) + [10]
let block = Array(repeatElement(line, count: max(1, (64 << 10) / line.count)).joined())
let feed = Sockets.connect(to: serverPort)
Sockets.send(feed, Array("FEED far\n".utf8))
endlessly(feed, block)

/// Bytes and nothing else, for what the link gives.
let (source, sourcePort) = Sockets.listen()
Thread.detachNewThread {
  while true {
    let descriptor = accept(source, nil, nil)
    if descriptor >= 0 { endlessly(descriptor, block) }
  }
}

// The cells.

struct Row {
  let title: String
  var cells: [String] = []
}

let demands: [(String, Int?)] = [("64", 64), ("1,024", 1024), ("16,384", 16_384), ("max", nil)]
let windows = ["64KiB", "256KiB", "4MiB"]
var link = Row(title: "the link, MB/s |  ")
var fixed = demands.flatMap { demand in
  windows.map { Row(title: "\(demand.0) | \($0)") }
}
var client = Row(title: "`flowclient sub` | 256KiB")
var library = Row(title: "`RemotePublisher.values` | 256KiB")

func number(_ value: Double) -> String {
  value >= 10_000 ? "\(Int((value / 1000).rounded())) k" : "\(Int(value.rounded()))"
}

for trip in trips {
  let delay = UInt64(trip / 2 * 1e6)
  let nanoseconds = UInt64(trip * 1e6)
  let way = Relay(to: serverPort, delay: delay, rate: rate)
  let plainWay = Relay(to: sourcePort, delay: delay, rate: rate)
  let length = UInt64(seconds * 1e9)
  let short = Span(warmUp: 500_000_000 + 4 * nanoseconds, length: length)
  // From one value at a time the window doubles in a round trip.
  let long = Span(warmUp: 1_000_000_000 + 25 * nanoseconds, length: length)
  let plain = Readers.plain(plainWay.port, short)
  let given = Double(plain.bytes) / plain.seconds
  link.cells.append(String(format: "%.1f", given / 1e6))
  func cell(_ reading: Reading) -> String {
    let perSecond = Double(reading.lines) / reading.seconds
    // On the wire there are five bytes besides: `= 1 ` and the line end.
    let share = perSecond * Double(valueBytes + 5) / given
    let text = "\(number(perSecond))/s, \(Int((share * 100).rounded())) %"
    FileHandle.standardError.write(Data("\(trip) ms: \(text)\n".utf8))
    return text
  }
  var index = 0
  for demand in demands {
    for window in windows {
      fixed[index].cells.append(
        cell(Readers.fixed(way.port, short, demand: demand.1, window: window))
      )
      index += 1
    }
  }
  client.cells.append(cell(try Readers.flowclient(clientPath, way.port, long)))
  library.cells.append(cell(try await Readers.values(way.port, long)))
  way.close()
  plainWay.close()
}

print("| demand | window | " + trips.map { "\(Int($0)) ms" }.joined(separator: " | ") + " |")
print("|---|---|" + trips.map { _ in "---:|" }.joined())
for row in [link] + fixed + [client, library] {
  print("| \(row.title) | " + row.cells.joined(separator: " | ") + " |")
}
kill(server.processIdentifier, SIGKILL)
server.waitUntilExit()
try? FileManager.default.removeItem(at: folder)
