import Programs

/// An option of a command: its row, and the member of the request that it sets.
struct CommandOption<Request: Sendable>: Sendable {
  typealias Place<Value> = any WritableKeyPath<Request, Value> & Sendable
  typealias Reading<Value> = @Sendable (ClientOption) -> () throws(UsageError) -> Value

  let entry: OptionEntry
  let apply: @Sendable (inout Request, ClientOption) throws(UsageError) -> Void

  /// An option without a value.
  static func flag(
    _ name: OptionName,
    short: Character? = nil,
    _ summary: String,
    _ place: Place<Bool>
  ) -> Self {
    Self(
      entry: OptionEntry(name: name, short: short, summary: summary),
      apply: { request, _ throws(UsageError) in request[keyPath: place] = true }
    )
  }

  /// An option whose value is what `read` makes of it; `words` are those that a shell offers for it.
  static func value<Value>(
    _ name: OptionName,
    short: Character? = nil,
    _ value: String,
    _ summary: String,
    words: [String] = [],
    _ place: Place<Value>,
    _ read: @escaping Reading<Value>
  ) -> Self {
    Self(
      entry: OptionEntry(name: name, short: short, value: value, summary: summary, words: words),
      apply: { request, option throws(UsageError) in
        request[keyPath: place] = try read(option)()
      }
    )
  }

  static func value<Value>(
    _ name: OptionName,
    short: Character? = nil,
    _ value: String,
    _ summary: String,
    words: [String] = [],
    _ place: Place<Value?>,
    _ read: @escaping Reading<Value>
  ) -> Self {
    Self(
      entry: OptionEntry(name: name, short: short, value: value, summary: summary, words: words),
      apply: { request, option throws(UsageError) in
        request[keyPath: place] = try read(option)()
      }
    )
  }

  /// An option that may be repeated.
  static func list<Value>(
    _ name: OptionName,
    _ value: String,
    _ summary: String,
    _ place: Place<[Value]>,
    _ read: @escaping Reading<Value>
  ) -> Self {
    Self(
      entry: OptionEntry(name: name, value: value, summary: summary),
      apply: { request, option throws(UsageError) in
        request[keyPath: place].append(try read(option)())
      }
    )
  }

  /// An option whose value is one of the words of `Choice`.
  static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: OptionName,
    _ value: String,
    _ summary: String,
    _ place: Place<Choice>
  ) -> Self {
    let words = Choice.allCases.map(\.rawValue)
    return .value(name, value, summary, words: words, place, ClientOption.choice)
  }

  static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: OptionName,
    _ value: String,
    _ summary: String,
    _ place: Place<Choice?>
  ) -> Self {
    let words = Choice.allCases.map(\.rawValue)
    return .value(name, value, summary, words: words, place, ClientOption.choice)
  }
}

/// The options that several commands have.
extension CommandOption {
  static func ascii(_ place: Place<Bool>) -> Self {
    .flag("ascii", "show no characters beyond ASCII", place)
  }

  static func count(_ summary: String, _ place: Place<UInt64?>) -> Self {
    .value("number", short: "n", "N", summary, place, ClientOption.number)
  }

  static func delay(_ place: Place<Duration?>) -> Self {
    let summary = "wait this long after each value: 250ms, 5s"
    return .value("delay", "TIME", summary, place, ClientOption.time)
  }

  static func demand(_ summary: String, _ place: Place<SubscribeRequest.Window?>) -> Self {
    .value("demand", "N|max", summary, place, ClientOption.window)
  }

  static func length(_ place: Place<Duration?>) -> Self {
    .value("for", "TIME", "stop after this long: 5s, 2m", place, ClientOption.time)
  }

  static func null(_ place: Place<Bool>) -> Self {
    .flag("null", short: "0", "a NUL byte ends each value, as in find -print0", place)
  }

  static func rate(_ summary: String, _ place: Place<Double?>) -> Self {
    .value("rate", "RATE", summary, place, ClientOption.rate)
  }

  static func timeout(_ place: Place<Duration?>) -> Self {
    let summary = "give up after this long, with exit code 124"
    return .value("timeout", "TIME", summary, place, ClientOption.time)
  }
}
