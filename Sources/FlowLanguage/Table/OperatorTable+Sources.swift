extension OperatorTable {
  static let sources = [
    source(
      "Just(value)",
      "Publishes one value and finishes.",
      demand: StageDemand(asks: "waits for one", ends: "after its value"),
      "Just([1, 2])",
      MarbleExample("Just([1, 2])", asking: "--1", gives: "--['[1,2]'|]")
    ),
    source(
      "Empty(completeImmediately: true)",
      "Finishes at once, or never does anything (false).",
      demand: StageDemand(asks: "needs none", ends: "at once"),
      "Empty()",
      MarbleExample("Empty()", gives: "|")
    ),
    source(
      "Fail(text) or Fail(error: text)",
      "Fails at once.",
      demand: StageDemand(asks: "needs none", ends: "with its failure, at once"),
      "Fail(\"closed\")",
      MarbleExample("Fail(\"closed\")", gives: "^")
    ),
    source(
      "publisher",
      "Publishes the elements of an array or range and finishes.",
      demand: StageDemand(asks: "gives what is asked for", ends: "after the last element"),
      "(1...10).publisher",
      MarbleExample("(1...4).publisher", asking: "2--1-1", gives: "[12]--3-[4|]")
    ),
    source(
      "Deferred { … }",
      "Makes a publisher for each subscription, no sooner.",
      demand: StageDemand(asks: "what the publisher does with it", ends: "with the publisher"),
      "Deferred { Just(1).delay(for: 1) }",
      MarbleExample("Deferred { Just(1).delay(for: 1) }", gives: "-[1|]")
    ),
    source(
      "Timer.publish(every: time, on: .main, in: .common).autoconnect()",
      "Counts 1, 2, 3 … from the subscription on.",
      demand: StageDemand(asks: "a tick without demand is dropped", ends: "never"),
      "Timer.publish(every: .seconds(1)).autoconnect()",
      MarbleExample(
        "Timer.publish(every: 2).autoconnect()",
        asking: "2-------u",
        gives: "--1-2---4-5"
      )
    ),
    source(
      "ask(service, value)",
      "Publishes what a client that said SERVE answers to the value.",
      demand: StageDemand(
        asks: "goes to the client that answers",
        ends: "when the client says so, or fails when it goes"
      ),
      "orders.flatMap(maxPublishers: .max(3)) { ask(resize, $0).retry(3) }"
    ),
  ]
}
