import Dispatch
import FlowLanguage
import Measure

// usage: language [WORD]
// Runs the scenarios whose name contains the word.

// A process of one thread gets its mutexes cheaper; no server is one.
let never = DispatchSemaphore(value: 0)
DispatchQueue.global().async { never.wait() }

let word = CommandLine.arguments.dropFirst().first ?? ""

print("| scenario | ns | allocations | |")
print("|---|---|---|---|")
for row in try closures() + texts() + pipelines() where word.isEmpty || row.name.contains(word) {
  let cost = row.scenario.measure(elements: row.elements, now: threadTime)
  let rate = row.rate(cost.nanoseconds)
  print("| \(row.name) | \(tenths(cost.nanoseconds)) | \(tenths(cost.allocations)) | \(rate) |")
}
never.signal()

func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
