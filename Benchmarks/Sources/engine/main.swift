import Dispatch
import FlowScenarios
import Measure
import OpenCombineScenarios

// usage: engine [--alone] [WORD]
// Runs the scenarios whose name contains the word; alone, without the peer.

// A process of one thread gets its mutexes cheaper; no server is one.
let never = DispatchSemaphore(value: 0)
DispatchQueue.global().async { never.wait() }

var arguments = CommandLine.arguments.dropFirst()
let isAlone = arguments.first == "--alone"
if isAlone { arguments = arguments.dropFirst() }
let word = arguments.first ?? ""

print("| scenario (ns per element) | FlowCore | OpenCombine 0.14 | ratio |")
print("|---|---|---|---|")
for (scenario, peer) in zip(FlowScenarios.scenarios, OpenCombineScenarios.scenarios)
where word.isEmpty || scenario.name.contains(word) {
  let flow = scenario.measure(elements: 1_000_000).nanoseconds
  if isAlone {
    print("| \(scenario.name) | \(tenths(flow)) | | |")
    continue
  }
  let other = peer.measure(elements: 100_000)
  let isSame = scenario.run(100_000) == other.sum
  precondition(isSame, "\(scenario.name): the engines do not agree")
  print(
    "| \(scenario.name) | \(tenths(flow)) | \(tenths(other.nanoseconds)) "
      + "| \(tenths(other.nanoseconds / flow))× |"
  )
}

func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
never.signal()
