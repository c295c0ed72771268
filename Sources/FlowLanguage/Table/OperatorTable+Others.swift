extension OperatorTable {
  static let holding = [
    stage(
      "buffer(size: count, prefetch: .keepFull, whenFull: .dropOldest)",
      "Holds values until they are asked for (.byRequest, .dropNewest, .customError(\"text\")).",
      demands: [
        StageDemand(
          with: ".byRequest",
          asks: "unlimited",
          holds: .values("{size}"),
          full: "{whenFull}",
          ends: "after what it holds"
        ),
        StageDemand(
          with: ".keepFull",
          asks: "{size}, then 1 for each value taken",
          holds: .values("{size}"),
          full: "stops asking; {whenFull} for what comes all the same",
          ends: "after what it holds"
        ),
      ],
      "taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)",
      MarbleExample(
        "taps.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)",
        ["taps": "1234-|"],
        asking: "1---1-1",
        gives: "1---3-[4|]"
      )
    ),
    stage(
      "share() or share(replay: count)",
      "Subscribes once for all subscribers; late ones are first sent the last values.",
      demands: [
        StageDemand(
          with: "replay",
          asks: "unlimited; a subscriber misses what {replay} newer values have replaced",
          holds: .values("{replay}"),
          full: "forgets the oldest",
          ends: "with its upstream, for all subscribers"
        ),
        StageDemand(
          asks: "unlimited; a subscriber without demand misses the value",
          ends: "with its upstream, for all subscribers"
        ),
      ],
      "orders.share(replay: 1)",
      MarbleExample(
        "taps.share(replay: 2)",
        ["taps": "1234-|"],
        asking: "1---u",
        gives: "1---[34]|"
      )
    ),
  ]

  static let others = [
    stage(
      "print(label)",
      "Writes everything that passes into the log.",
      demand: "the same",
      "taps.print(\"taps\")",
      MarbleExample("taps.print(\"taps\")", ["taps": "1-2-|"], gives: "1-2-|")
    ),
    stage(
      "autoconnect()",
      "Belongs to Timer.publish.",
      demand: "the same",
      "Timer.publish(every: 1).autoconnect()",
      MarbleExample("Timer.publish(every: 1).autoconnect().prefix(3)", gives: "-12[3|]")
    ),
    stage(
      "eraseToAnyPublisher()",
      "Has no effect; accepted as Combine has it.",
      demand: "the same",
      "taps.eraseToAnyPublisher()",
      MarbleExample("taps.eraseToAnyPublisher()", ["taps": "1-2-|"], gives: "1-2-|")
    ),
  ]

  static let endings = [
    ending(
      "subscribe(subject)",
      "Ends a run: the values go to the subject, and so does the end.",
      demand: "what the subject grants",
      "orders.map { $0.price }.subscribe(returns)"
    ),
    ending(
      "assign(to: subject)",
      "Ends a run: the values go to the subject, which goes on after the end.",
      demand: "what the subject grants",
      "orders.scan(0) { $0 + $1.price }.assign(to: returns)"
    ),
  ]
}
