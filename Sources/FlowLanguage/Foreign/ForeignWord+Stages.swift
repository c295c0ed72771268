// Operators of RxJS, RxSwift, Reactor, Kotlin and others.

extension ForeignWord {
  static let stages = filtering + joining + changing + timing + failing + sharing + looking

  private static func stage(
    _ word: String,
    _ example: String,
    _ make: @escaping @Sendable (ForeignCall) -> String?
  ) -> ForeignWord {
    ForeignWord(word, .stage, "taps.\(example)", .call(make))
  }

  private static func stage(
    _ word: String,
    _ example: String,
    as name: String
  ) -> ForeignWord {
    ForeignWord(word, .stage, "taps.\(example)", .name(name))
  }

  private static func stage(_ word: String, advice: String) -> ForeignWord {
    ForeignWord(word, .stage, "taps.\(word)()", .advice(advice))
  }

  private static let filtering = [
    stage("take", "take(3)", as: "prefix"),
    stage("takeUntil", "takeUntil(orders)") {
      "prefix(untilOutputFrom: \($0.argument(0, "other")))"
    },
    stage("takeWhile", "takeWhile { $0 > 1 }") { "prefix(while: \($0.closure()))" },
    stage("limit", "limit(rate: 5)") { call in
      call.labels.contains("rate") ? paced(call) : "prefix(\(call.argument(0, "count")))"
    },
    stage("head", "head(3)", as: "prefix"),
    stage("skip", "skip(2)", as: "dropFirst"),
    stage("skipWhile", "skipWhile { $0 > 1 }") { "drop(while: \($0.closure()))" },
    stage("skipUntil", "skipUntil(orders)") { "drop(untilOutputFrom: \($0.argument(0, "other")))" },
    stage("takeLast", "takeLast(3)") { call in
      "collect().flatMap { $0.suffix(\(call.argument(0, "count"))).publisher }"
    },
    stage("skipLast", "skipLast(2)") { dropLast($0.argument(0, "count")) },
    stage("dropLast", "dropLast(2)") { dropLast($0.argument(0, "count")) },
    stage("dropWhile", "dropWhile { $0 > 1 }") { "drop(while: \($0.closure()))" },
    stage("distinctUntilChanged", "distinctUntilChanged()") { call in
      guard let key = call.key else { return "removeDuplicates()" }
      guard key.hasPrefix("{") else { return "removeDuplicates(by: \(key))" }
      return path(of: key).map { "removeDuplicates(by: \($0))" } ?? "removeDuplicates \(key)"
    },
    stage("dedup", "dedup()", as: "removeDuplicates"),
    stage("uniq", "uniq()", as: "removeDuplicates"),
    stage("dedupe", "dedupe()", as: "removeDuplicates"),
    stage("deduplicate", "deduplicate()", as: "removeDuplicates"),
    stage("distinct", "distinct()") { call in
      "group(by: \(call.key ?? "{ $0 }")) { $0.first() }"
    },
    stage("where", "where { $0 > 1 }", as: "filter"),
    stage("filterNotNull", "filterNotNull()") { _ in "compactMap { $0 }" },
    stage("compact", "compact()") { _ in "compactMap { $0 }" },
    stage("unwrap", "unwrap()") { _ in "compactMap { $0 }" },
    stage("nth", "nth(2)", outputAt),
    stage("elementAt", "elementAt(2)", outputAt),
    stage("element", "element(at: 2)", outputAt),
    stage("find", "find { $0 > 1 }", as: "first"),
    stage("every", "every(100)") { call in
      guard let count = call.plain.first else { return "allSatisfy \(call.closure())" }
      return "window(1, every: \(count)).map { $0[0] }"
    },
    stage("filterNot", advice: "use filter { !(…) }"),
    stage("some", "some { $0 > 1 }", as: "contains"),
    stage("includes", "includes(2)", as: "contains"),
    stage("ignoreElements", "ignoreElements()", as: "ignoreOutput"),
    stage(
      "partition",
      advice: "write two pipelines, one with filter { … } and one with filter { !(…) }"
    ),
  ]

  private static let outputAt: @Sendable (ForeignCall) -> String? = { call in
    "output(at: \(call.argument(0, "index")))"
  }

  /// Drops the last `count` values: each value waits until so many others have come.
  private static func dropLast(_ count: String) -> String {
    guard let number = Int(count), number < Int.max else {
      return "window(\(count) + 1, every: 1).map { $0[0] }"
    }
    return "window(\(number + 1), every: 1).map { $0[0] }"
  }

  /// The key path that `{ $0.a.b }` stands for.
  private static func path(of closure: String) -> String? {
    let inside = closure.dropFirst().dropLast().filter { !$0.isWhitespace }
    guard inside.hasPrefix("$0."),
      inside.dropFirst(3).allSatisfy({ $0.isLetter || $0.isNumber || ".?_".contains($0) })
    else { return nil }
    return "\\\(inside.dropFirst(2))"
  }

  private static let joining = [
    stage("startWith", "startWith(1)", as: "prepend"),
    stage("startsWith", "startsWith(1)", as: "prepend"),
    stage("endWith", "endWith(1)", as: "append"),
    stage("concat", "concat(orders)", as: "append"),
    stage("concatWith", "concatWith(orders)", as: "append"),
    stage("mergeWith", "mergeWith(orders)") { "merge(with: \($0.list("other")))" },
    stage("combineLatestWith", "combineLatestWith(orders)", as: "combineLatest"),
    stage("zipWith", "zipWith(orders)", as: "zip"),
    stage("withLatestFrom", "withLatestFrom(orders)") { call in
      guard !call.hasSecond else { return nil }
      let closure = call.hasClosure ? " \(call.closure())" : ""
      return "withLatest(from: \(call.argument(0, "other")))\(closure)"
    },
  ]

  private static let changing = [
    stage("select", "select(.price > 1)") { selected($0) },
    stage("mapValues", "mapValues { $0 + 1 }", as: "map"),
    stage("flatMapValues", "flatMapValues { Just($0) }", as: "flatMap"),
    stage("mapTo", "mapTo(1)") { "map { _ in \($0.argument(0, "value")) }" },
    stage("pluck", "pluck(\"price\")") { call in
      let places = 0..<max(1, call.plain.count)
      return "map(\\.\(places.map { call.member($0, "name") }.joined(separator: ".")))"
    },
    stage("mergeMap", "mergeMap { Just($0) }", as: "flatMap"),
    stage("flatMapMerge", "flatMapMerge { Just($0) }", as: "flatMap"),
    stage("switchMap", "switchMap { Just($0) }", as: "flatMapLatest"),
    stage("flatMapConcat", "flatMapConcat { Just($0) }", as: "concatMap"),
    stage("flatMapFirst", "flatMapFirst { Just($0) }", as: "exhaustMap"),
    ForeignWord(
      "concatAll",
      .stage,
      "taps.map { Just($0) }.concatAll()",
      .flattening("concatMap")
    ),
    ForeignWord("mergeAll", .stage, "taps.map { Just($0) }.mergeAll()", .flattening("flatMap")),
    ForeignWord(
      "switchAll",
      .stage,
      "taps.map { Just($0) }.switchAll()",
      .flattening("flatMapLatest")
    ),
    ForeignWord(
      "exhaustAll",
      .stage,
      "taps.map { Just($0) }.exhaustAll()",
      .flattening("exhaustMap")
    ),
    ForeignWord(
      "switchLatest",
      .stage,
      "taps.map { Just($0) }.switchLatest()",
      .flattening("flatMapLatest")
    ),
    stage("fold", "fold(0) { $0 + $1 }", as: "reduce"),
    stage("aggregate", "aggregate(0) { $0 + $1 }", as: "reduce"),
    stage("scan0", "scan0(0) { $0 + $1 }") { call in
      let initial = call.argument(0, "0")
      return "scan(\(initial)) \(call.closure("{ $0 + $1 }")).prepend(\(initial))"
    },
    stage("runningFold", "runningFold(0) { $0 + $1 }") { call in
      let initial = call.argument(0, "0")
      return "scan(\(initial)) \(call.closure("{ $0 + $1 }")).prepend(\(initial))"
    },
    stage("mean", "mean()", as: "average"),
    stage("avg", "avg()", as: "average"),
    stage("toArray", "toArray()", as: "collect"),
    stage("toList", "toList()", as: "collect"),
    stage("collectList", "collectList()", as: "collect"),
    stage("topK", "topK(3)") { call in
      guard call.arguments.count < 2 else { return nil }
      return "scan([]) { ($0 + [$1]).sorted(by: >).prefix(\(call.argument(0, "count"))) }"
    },
    stage("bufferCount", "bufferCount(3)") { call in
      let size = call.argument(0, "count")
      return call.hasSecond
        ? "window(\(size), every: \(call.plain[1]))" : "collect(\(size))"
    },
    stage("chunked", "chunked(3)", as: "collect"),
    stage("batch", "batch(3)", as: "collect"),
    stage("windowCount", "windowCount(3)") { call in
      let every = call.hasSecond ? ", every: \(call.plain[1])" : ""
      return "window(\(call.argument(0, "count"))\(every)) { $0.collect() }"
    },
    stage("sliding", "sliding(10)") { sliding($0) },
    stage("windowed", "windowed(10)") { sliding($0) },
    stage("groupBy", "groupBy { $0.id }") { grouped($0) },
    stage("keyBy", "keyBy { $0.id }") { grouped($0) },
    stage("groupByKey", "groupByKey()") { grouped($0) },
    stage("withIndex", "withIndex()", as: "enumerated"),
    stage("zipWithIndex", "zipWithIndex()", as: "enumerated"),
    stage("indexed", "indexed()", as: "enumerated"),
    stage(
      "expand",
      advice: "a pipeline cannot feed itself; use a RUN into a subject, or flatMap for one step"
    ),
    stage("defaultIfEmpty", "defaultIfEmpty(1)") {
      "replaceEmpty(with: \($0.argument(0, "value")))"
    },
    stage("ifEmpty", "ifEmpty(default: 1)") { "replaceEmpty(with: \($0.argument(0, "value")))" },
    stage("asObservable", "asObservable()", as: "eraseToAnyPublisher"),
    stage("asDriver", "asDriver()") { _ in "eraseToAnyPublisher()" },
    stage("to", advice: "RUN sends values to a subject, with .assign(to: subject) at its end"),
    stage("through", advice: "RUN sends values to a subject, with .assign(to: subject) at its end"),
    stage("pipe", advice: "stages follow a dot, as in taps.map { $0 }.filter { $0 > 1 }"),
    stage("encode", advice: "values are already JSON"),
    stage("decode", advice: "values are already JSON"),
  ]

  private static func sliding(_ call: ForeignCall) -> String {
    let every = call.argument(1, "1")
    return "window(\(call.argument(0, "count")), every: \(every)) { $0.collect() }"
  }

  /// Groups by the key that is given, with the closure behind it if there is one.
  ///
  /// Without one it counts as values come: `count()` would wait for an end, which a subject seldom has.
  private static func grouped(_ call: ForeignCall) -> String {
    let counting = "{ $0.scan(0) { n, _ in n + 1 } }"
    let body = call.arguments.dropFirst().first { $0.hasPrefix("{") } ?? counting
    return "group(by: \(call.key ?? "{ $0.key }")) \(body)"
  }

  /// What LINQ's `select` is, or that of jq, which tests: `select(.price > 1)`.
  private static func selected(_ call: ForeignCall) -> String {
    var closure = call.arguments.first ?? "{ value in … }"
    if closure.hasPrefix(".") { closure = "{ $0\(closure) }" }
    if !closure.hasPrefix("{") { closure = "{ \(closure) }" }
    let isTest = ["<", ">", "==", "!="].contains { closure.contains($0) }
    return "\(isTest ? "filter" : "map") \(closure)"
  }

  private static func paced(_ call: ForeignCall) -> String {
    "pace(\(call.argument(0, "5")), per: \(call.time(1, ".seconds(1)")))"
  }

  private static let timing = [
    stage("debounceTime", "debounceTime(300)") { "debounce(for: \($0.time(0)))" },
    stage("throttleTime", "throttleTime(300)") {
      "throttle(for: \($0.time(0)), latest: false)"
    },
    stage("throttleFirst", "throttleFirst(300)") {
      "throttle(for: \($0.time(0)), latest: false)"
    },
    stage("throttleLatest", "throttleLatest(300)") {
      "throttle(for: \($0.time(0)), latest: true)"
    },
    stage("auditTime", "auditTime(300)") { "throttle(for: \($0.time(0)), latest: true)" },
    stage("sampleTime", "sampleTime(300)") { "throttle(for: \($0.time(0)), latest: true)" },
    stage("bufferTime", "bufferTime(300)") { call in
      guard call.hasSecond else {
        return "collect(.byTime(DispatchQueue.main, \(call.time(0))))"
      }
      return "window(\(call.time(0)), every: \(call.time(1)))"
    },
    stage("windowTime", "windowTime(300)") { call in
      let every = call.hasSecond ? ", every: \(call.time(1))" : ""
      return "window(\(call.time(0))\(every)) { $0.collect() }"
    },
    stage("timeInterval", "timeInterval()") { _ in "measureInterval(using: DispatchQueue.main)" },
    stage("rateLimit", "rateLimit(5)") { paced($0) },
    stage("rate", "rate(5)") { paced($0) },
    stage("observeOn", "observeOn(MainScheduler.instance)") { _ in
      "receive(on: DispatchQueue.main)"
    },
    stage("observe", "observe(on: MainScheduler.instance)") { _ in
      "receive(on: DispatchQueue.main)"
    },
    stage("publishOn", "publishOn(main)") { _ in "receive(on: DispatchQueue.main)" },
    stage("subscribeOn", "subscribeOn(main)") { _ in "subscribe(on: DispatchQueue.main)" },
    stage("onBackpressureBuffer", "onBackpressureBuffer(16)") {
      "buffer(size: \($0.argument(0, "16")), prefetch: .byRequest, whenFull: .customError(\"full\"))"
    },
    stage("onBackpressureDrop", "onBackpressureDrop()") { _ in
      "buffer(size: 1, prefetch: .byRequest, whenFull: .dropNewest)"
    },
    stage("onBackpressureLatest", "onBackpressureLatest()") { _ in
      "buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)"
    },
    stage("conflate", "conflate()") { _ in
      "buffer(size: 1, prefetch: .byRequest, whenFull: .dropOldest)"
    },
  ]

  private static let failing = [
    stage("catchError", "catchError { error in Just(1) }", as: "catch"),
    stage("catchErrorJustReturn", "catchErrorJustReturn(1)") {
      "replaceError(with: \($0.argument(0, "value")))"
    },
    stage("catchAndReturn", "catchAndReturn(1)") {
      "replaceError(with: \($0.argument(0, "value")))"
    },
    stage("onErrorReturn", "onErrorReturn(1)") {
      $0.hasClosure ? nil : "replaceError(with: \($0.argument(0, "value")))"
    },
    stage("onErrorResume", "onErrorResume { error in Just(1) }", as: "catch"),
    stage("onErrorResumeNext", "onErrorResumeNext(orders)") {
      $0.hasClosure
        ? "catch \($0.closure())" : "catch { _ in \($0.argument(0, "other")) }"
    },
    stage("retryWhen", "retryWhen { $0 }") { _ in "retry(3, delay: .seconds(1))" },
    stage("assertNoFailure", advice: "use replaceError(with:) or catch"),
  ]

  private static let sharing = [
    stage("shareReplay", "shareReplay(1)") { "share(replay: \($0.argument(0, "1")))" },
    stage("replay", "replay(1)") { "share(replay: \($0.argument(0, "1")))" },
    stage("publish", "publish()") { _ in "share()" },
    stage("refCount", "refCount()", as: "share"),
    stage("multicast", advice: "use share() or share(replay: 1)"),
    stage("makeConnectable", advice: "share() connects with the first subscriber"),
    stage("connect", advice: "share() connects with the first subscriber"),
  ]

  private static let logging = [
    "tap", "peek", "onEach", "do", "doOnNext", "doOnError", "doOnComplete", "doOnEach", "finalize",
    "doFinally",
  ].map { stage($0, "\($0) { print($0) }") { _ in "print(\"label\")" } }

  private static let looking =
    logging + [
      stage(
        "handleEvents",
        advice: "use print(\"label\"), which logs what passes, or log(\"label\")"
      ),
      stage("breakpoint", advice: "use print(\"label\"), which logs what passes"),
      stage("breakpointOnError", advice: "use print(\"label\"), which logs what passes"),
      stage("sink", advice: "SUB is the sink, or RUN into a subject"),
      stage(
        "forEach",
        advice:
          "subscribe to the pipeline with SUB, or use print(\"label\"), which logs what passes"
      ),
      stage("store", advice: "SUB keeps the subscription until CANCEL"),
      stage("values", advice: "subscribe to the pipeline with SUB"),
    ]
}
