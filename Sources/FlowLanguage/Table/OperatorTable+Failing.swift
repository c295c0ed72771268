extension OperatorTable {
  static let failing = [
    stage(
      "catch { error in … }",
      "Goes on with the closure's publisher after a failure (error.code, error.message).",
      demand: StageDemand(
        asks: "the same; what is left goes to the new publisher",
        ends: "with its upstream, or with the new publisher"
      ),
      "orders.catch { Just($0.message) }",
      MarbleExample(
        "taps.catch { Just($0.message) }",
        ["taps": "1-2-^"],
        gives: "1-2-['failed'|]"
      )
    ),
    stage(
      "retry(count), retry(count, delay: time) or "
        + "retry(count, backoff: .exponential(from: time, upTo: time))",
      "Subscribes again after a failure, at most count times, at once or later.",
      demand: StageDemand(
        asks: "the same; what is left goes to the new subscription",
        ends: "with its upstream, or with the failure after {count} retries"
      ),
      "orders.retry(3, delay: .milliseconds(100))",
      MarbleExample("Just(1).append(Fail(\"no\")).retry(2, delay: 2)", gives: "1-1-[1^]")
    ),
    stage(
      "replaceError(with: value)",
      "Publishes the value instead of a failure and finishes.",
      demand: StageDemand(
        asks: "the same",
        ends: "with its upstream, or after the value instead of a failure"
      ),
      "orders.replaceError(with: null)",
      MarbleExample("taps.replaceError(with: 0)", ["taps": "1-2-^"], gives: "1-2-[0|]")
    ),
    stage(
      "mapError { error in … }",
      "Fails with the text the closure makes of the failure.",
      demand: "the same",
      "orders.mapError { \"orders: \\($0.message)\" }",
      MarbleExample(
        "taps.mapError { \"no \\($0.message)\" }.catch { Just($0.message) }",
        ["taps": "1-^"],
        gives: "1-['no failed'|]"
      )
    ),
    stage(
      "setFailureType(to: Error)",
      "Has no effect; accepted as Combine has it.",
      demand: "the same",
      "Just(1).setFailureType(to: Error.self)",
      MarbleExample("taps.setFailureType(to: Error.self)", ["taps": "1-2-^"], gives: "1-2-^")
    ),
  ]
}
