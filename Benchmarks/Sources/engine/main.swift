import Dispatch
import FlowScenarios
import Glibc
import Measure
import OpenCombineScenarios

// usage: engine [--alone] [--elements N] [WORD]
// Runs the scenarios whose name contains the word; alone, without the peer. N is for FlowCore.

// A process of one thread gets its mutexes cheaper; no server is one.
let never = DispatchSemaphore(value: 0)
DispatchQueue.global().async { never.wait() }

var arguments = CommandLine.arguments.dropFirst()
let isAlone = arguments.first == "--alone"
if isAlone { arguments = arguments.dropFirst() }
var elements = 1_000_000
if arguments.first == "--elements", let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
  elements = count
  arguments = arguments.dropFirst(2)
}
let word = arguments.first ?? ""

func isWanted(_ name: String) -> Bool { word.isEmpty || name.contains(word) }

let ways = ["pushed", "64 at a time", "1 at a time"]
let peer = isAlone ? [] : ["OpenCombine 0.14, pushed"] + ways.dropFirst()
row(["ns per element; allocations"] + ways + peer + (isAlone ? [] : ["ratios"]))
row(Array(repeating: "---", count: 1 + ways.count + peer.count + (isAlone ? 0 : 1)))
let peers = OpenCombineScenarios.scenarios
for (index, scenario) in (FlowScenarios.scenarios + scenariosBeyond).enumerated()
where isWanted(scenario.name) {
  let flow = costs(of: scenario, elements)
  var columns = [scenario.name] + flow.map(text)
  if !isAlone, index < peers.count {
    let others = costs(of: peers[index], 20_000)
    guard scenario.run(20_000) == others[0]?.sum else {
      fatalError("\(scenario.name): the engines do not agree")
    }
    columns += others.map(text)
    columns.append(zip(others, flow).map(ratio).joined(separator: " "))
  } else if !isAlone {
    columns += Array(repeating: "–", count: ways.count + 1)
  }
  row(columns)
}
for (holding, peer) in zip(FlowScenarios.holdings, OpenCombineScenarios.holdings)
where isWanted(holding.name) {
  let (flow, other) = (holding.bytes(), peer.bytes())
  row([holding.name, tenths(flow), "", "", tenths(other), "", "", "\(tenths(other / flow))×"])
}

/// What a scenario costs in each of the ways in which it can be done.
func costs(of scenario: Scenario, _ elements: Int) -> [Cost?] {
  let pushed = scenario.measure(elements: elements)
  let pulled = [64, 1].map { scenario.inPieces(of: $0)?.measure(elements: elements) }
  guard pulled.allSatisfy({ $0 == nil || $0?.sum == pushed.sum }) else {
    fatalError("\(scenario.name): not the same values, pushed and pulled")
  }
  return [pushed] + pulled
}

func row(_ columns: [String]) {
  print("| " + columns.joined(separator: " | ") + " |")
  fflush(nil)  // a row as soon as it is there, for whoever reads a pipe
}
func text(_ cost: Cost?) -> String {
  cost.map { "\(tenths($0.nanoseconds)); \(tenths($0.allocations))" } ?? "–"
}
func ratio(_ other: Cost?, _ own: Cost?) -> String {
  guard let other, let own else { return "–" }
  return "\(Int((other.nanoseconds / own.nanoseconds).rounded()))×"
}
func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
never.signal()
