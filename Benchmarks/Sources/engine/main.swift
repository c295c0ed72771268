import Dispatch
import FlowScenarios
import Measure
import OpenCombineScenarios

// usage: engine [WORD]   runs the scenarios whose name contains the word

// A process of one thread gets its mutexes cheaper; no server is one.
let never = DispatchSemaphore(value: 0)
DispatchQueue.global().async { never.wait() }

let word = CommandLine.arguments.dropFirst().first ?? ""
print("| scenario (ns per element) | FlowCore | OpenCombine 0.14 | ratio |")
print("|---|---|---|---|")
for (scenario, peer) in zip(FlowScenarios.scenarios, OpenCombineScenarios.scenarios)
where word.isEmpty || scenario.name.contains(word) {
  let flow = scenario.measure(elements: 1_000_000)
  let other = peer.measure(elements: 100_000)
  let same = scenario.run(100_000) == other.sum
  precondition(same, "\(scenario.name): the engines do not agree")
  let ratio = other.nanoseconds / flow.nanoseconds
  print(
    "| \(scenario.name) | \(tenths(flow.nanoseconds)) | \(tenths(other.nanoseconds))"
      + " | \(tenths(ratio))× |"
  )
}

func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
never.signal()
