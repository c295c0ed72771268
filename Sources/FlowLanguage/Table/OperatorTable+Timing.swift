extension OperatorTable {
  static let timing = [
    stage(
      "delay(for: time, scheduler: DispatchQueue.main)",
      "Publishes everything later.",
      demand: StageDemand(
        asks: "the same",
        holds: .asked,
        full: "has no more to come than was asked for",
        ends: "{time} after its upstream"
      ),
      "taps.delay(for: .milliseconds(100))",
      MarbleExample("taps.delay(for: 2)", ["taps": "1-2-|"], gives: "--1-2-|")
    ),
    stage(
      "debounce(for: time, scheduler: DispatchQueue.main)",
      "Publishes a value when no other has come for a while.",
      demand: StageDemand(
        asks: "unlimited; what is due without demand is dropped",
        holds: .values("1"),
        full: "keeps the newest",
        makesValues: true
      ),
      "taps.debounce(for: .milliseconds(300))",
      MarbleExample("taps.debounce(for: 2)", ["taps": "12---34----|"], gives: "---2----4--|")
    ),
    stage(
      "throttle(for: time, scheduler: DispatchQueue.main, latest: true)",
      "Publishes at most one value in a time: the latest that came, or the first.",
      demand: StageDemand(
        asks: "unlimited; what comes without demand is dropped",
        holds: .values("1"),
        full: "keeps the latest, or the first",
        ends: "with its upstream, as soon as a value might come",
        makesValues: true
      ),
      "taps.throttle(for: .seconds(1), scheduler: DispatchQueue.main, latest: true)",
      MarbleExample(
        "taps.throttle(for: 3, latest: true)",
        ["taps": "1-2345-----|"],
        gives: "1--3--5----|"
      )
    ),
    stage(
      "timeout(time, scheduler: DispatchQueue.main, customError: { text })",
      "Ends, or fails with the text, when no value has come for a while.",
      demand: StageDemand(
        asks: "the same",
        ends: "with its upstream, or {time} after the last value"
      ),
      "taps.timeout(.seconds(5), scheduler: DispatchQueue.main, customError: { \"too late\" })",
      MarbleExample("taps.timeout(3)", ["taps": "1-2-----3|"], gives: "1-2--|")
    ),
    stage(
      "measureInterval(using: DispatchQueue.main)",
      "Publishes the seconds since the value before, or since the subscription.",
      demand: "the same",
      "taps.measureInterval(using: DispatchQueue.main)",
      MarbleExample(
        "taps.measureInterval(using: DispatchQueue.main)",
        ["taps": "-a--b-|"],
        gives: "-'1.0'--'3.0'-|"
      )
    ),
    stage(
      "receive(on: DispatchQueue.main)",
      "Has no effect; accepted as Combine has it.",
      demand: "the same",
      "taps.receive(on: DispatchQueue.main)",
      MarbleExample("taps.receive(on: DispatchQueue.main)", ["taps": "1-2-|"], gives: "1-2-|")
    ),
  ]
}
