import Dispatch
import FlowScenarios
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

print("| scenario (ns per element; allocations) | FlowCore | OpenCombine 0.14 | ratio |")
print("|---|---|---|---|")
for (scenario, peer) in zip(FlowScenarios.scenarios, OpenCombineScenarios.scenarios)
where isWanted(scenario.name) {
  let flow = scenario.measure(elements: elements)
  if isAlone {
    row(scenario.name, text(flow), "", "")
    continue
  }
  let other = peer.measure(elements: 100_000)
  let isSame = scenario.run(100_000) == other.sum
  precondition(isSame, "\(scenario.name): the engines do not agree")
  row(scenario.name, text(flow), text(other), ratio(other.nanoseconds, flow.nanoseconds))
}
for scenario in scenariosBeyond where isWanted(scenario.name) {
  row(scenario.name, text(scenario.measure(elements: elements)), "–", "–")
}
for (holding, peer) in zip(FlowScenarios.holdings, OpenCombineScenarios.holdings)
where isWanted(holding.name) {
  let (flow, other) = (holding.bytes(), peer.bytes())
  row(holding.name, tenths(flow), tenths(other), ratio(other, flow))
}

func row(_ columns: String...) { print("| " + columns.joined(separator: " | ") + " |") }
func text(_ cost: Cost) -> String { "\(tenths(cost.nanoseconds)); \(tenths(cost.allocations))" }
func ratio(_ other: Double, _ own: Double) -> String { "\(tenths(other / own))×" }
func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
never.signal()
