// What other libraries begin a pipeline with.

extension ForeignWord {
  /// The types whose functions are sources elsewhere, as in `Observable.of(1)`.
  static let factories: Set = [
    "Observable", "Single", "Maybe", "Driver", "Signal", "Flux", "Mono", "Flowable", "Stream",
  ]

  static let sources = [
    source("of", "of(1, 2)") { call in
      call.arguments.count == 1 ? "Just(\(call.arguments[0]))" : "[\(call.list("1, 2"))].publisher"
    },
    ForeignWord("just", .source, "just(1)", .name("Just")),
    source("from", "from([1, 2])") { call in
      let whole = call.argument(0, "[1, 2]")
      return whole.hasPrefix("[") ? "\(whole).publisher" : whole
    },
    source("fromIterable", "fromIterable([1, 2])") { "\($0.argument(0, "[1, 2]")).publisher" },
    source("range", "range(1, 10)") { call in
      let (start, count) = (call.argument(0, "1"), call.argument(1, "10"))
      guard let first = Int(start), let number = Int(count), number > 0, first < Int.max - number
      else { return "(\(start)..<\(start) + \(count)).publisher" }
      return "(\(first)...\(first + number - 1)).publisher"
    },
    source("interval", "interval(1000)") {
      "Timer.publish(every: \($0.time(0, ".seconds(1)"))).autoconnect()"
    },
    source("timer", "timer(1000)") { call in
      guard call.plain.count > 1 else {
        return "Just(0).delay(for: \(call.time(0, ".seconds(1)")))"
      }
      return "Timer.publish(every: \(call.time(1))).autoconnect()"
    },
    source("empty", "empty()") { _ in "Empty()" },
    source("never", "never()") { _ in "Empty(completeImmediately: false)" },
    source("throwError", "throwError(\"closed\")") { "Fail(\($0.argument(0, "\"text\"")))" },
    source("error", "error(\"closed\")") { "Fail(\($0.argument(0, "\"text\"")))" },
    source("defer", "defer { Just(1) }") { "Deferred \($0.closure("{ Just(value) }"))" },
    source("merge", "merge(taps, orders)") { call in
      let all = call.publishers()
      return "\(all[0]).merge(with: \(all.dropFirst().joined(separator: ", ")))"
    },
    source("concat", "concat(taps, orders)") { call in
      let all = call.publishers()
      return all[0] + all.dropFirst().map { ".append(\($0))" }.joined()
    },
    source("combineLatest", "combineLatest([taps, orders])") { joined($0, "combineLatest") },
    source("zip", "zip(taps, orders)") { joined($0, "zip") },
    source("forkJoin", "forkJoin([taps, orders])") { call in
      let all = call.publishers().map { "\($0).last()" }
      return all.count > 4 ? nil : "\(all[0]).zip(\(all.dropFirst().joined(separator: ", ")))"
    },
    ForeignWord("race", .source, "race(taps, orders)", .advice("use a.merge(with: b).first()")),
    ForeignWord(
      "create",
      .source,
      "create { $0 }",
      .advice("use ask(service, value), which waits for an answer, or Just(value)")
    ),
    ForeignWord(
      "fromEvent",
      .source,
      "fromEvent(taps)",
      .advice("use a subject, to which clients SEND values")
    ),
    ForeignWord(
      "fetch",
      .source,
      "fetch(url)",
      .advice("use ask(service, value), answered by a client that fetches")
    ),
    ForeignWord(
      "ajax",
      .source,
      "ajax(url)",
      .advice("use ask(service, value), answered by a client that fetches")
    ),
  ]

  private static func source(
    _ word: String,
    _ example: String,
    _ make: @escaping @Sendable (ForeignCall) -> String?
  ) -> ForeignWord {
    ForeignWord(word, .source, example, .call(make))
  }

  /// Up to four publishers, with the closure if there is one.
  private static func joined(_ call: ForeignCall, _ name: String) -> String? {
    let all = call.publishers()
    guard all.count <= 4 else { return nil }
    let closure = call.hasClosure ? " \(call.closure())" : ""
    return "\(all[0]).\(name)(\(all.dropFirst().joined(separator: ", ")))\(closure)"
  }

  static let types =
    [
      ForeignWord("EMPTY", .type, "EMPTY", .name("Empty()")),
      ForeignWord("NEVER", .type, "NEVER", .name("Empty(completeImmediately: false)")),
      type("Future", "use ask(service, value), which waits for an answer, or Just(value)"),
      type("PassthroughSubject", "define a subject with SUBJECT NAME and use its name"),
      type(
        "CurrentValueSubject",
        "define a subject with SUBJECT NAME current VALUE and use its name"
      ),
      type("BehaviorSubject", "define a subject with SUBJECT NAME current VALUE and use its name"),
      type("PublishSubject", "define a subject with SUBJECT NAME and use its name"),
      type("ReplaySubject", "define a subject with SUBJECT NAME replay 10 and use its name"),
      type("AnyPublisher", "use the name of the publisher"),
      type("URLSession", "use ask(service, value), answered by a client that fetches"),
      type("NotificationCenter", "use a subject, to which clients SEND values"),
      type("AsyncStream", "use a subject, to which clients SEND values"),
      type("Publishers", "use Publishers.Zip, Merge, CombineLatest, Sequence or Concatenate"),
      type("DispatchQueue", "use it as scheduler: DispatchQueue.main"),
    ] + factories.sorted().map { type($0, "use Just, [1, 2].publisher or a name") }

  private static func type(_ word: String, _ advice: String) -> ForeignWord {
    ForeignWord(word, .type, word, .advice(advice))
  }
}
