import Programs

/// An option of a command, and the property of the request that it sets.
struct CommandOption<Request: Sendable>: Sendable {
  typealias Place<Value> = any WritableKeyPath<Request, Value> & Sendable

  let entry: OptionEntry
  let apply: @Sendable (inout Request, ClientOption) throws(UsageError) -> Void

  private init<Value>(
    _ name: OptionName,
    _ short: Character?,
    _ type: OptionType<Value>,
    _ summary: String,
    apply: @escaping @Sendable (inout Request, Value) -> Void
  ) {
    entry = OptionEntry(
      name: name,
      short: short,
      value: type.placeholder,
      summary: summary,
      words: type.words
    )
    self.apply = { request, option throws(UsageError) in apply(&request, try type.read(option)) }
  }

  private init(entry: OptionEntry, place: Place<Bool>) {
    self.entry = entry
    apply = { request, _ throws(UsageError) in request[keyPath: place] = true }
  }

  static func flag(
    _ name: OptionName,
    short: Character? = nil,
    _ summary: String,
    _ place: Place<Bool>
  ) -> Self {
    Self(entry: OptionEntry(name: name, short: short, summary: summary), place: place)
  }

  static func value<Value>(
    _ name: OptionName,
    short: Character? = nil,
    _ type: OptionType<Value>,
    _ summary: String,
    _ place: Place<Value>
  ) -> Self {
    Self(name, short, type, summary) { $0[keyPath: place] = $1 }
  }

  static func value<Value>(
    _ name: OptionName,
    short: Character? = nil,
    _ type: OptionType<Value>,
    _ summary: String,
    _ place: Place<Value?>
  ) -> Self {
    Self(name, short, type, summary) { $0[keyPath: place] = $1 }
  }

  /// An option that may be repeated.
  static func list<Value>(
    _ name: OptionName,
    _ type: OptionType<Value>,
    _ summary: String,
    _ place: Place<[Value]>
  ) -> Self {
    Self(name, nil, type, summary) { $0[keyPath: place].append($1) }
  }
}

extension CommandOption {
  static func ascii(_ place: Place<Bool>) -> Self {
    .flag("ascii", "show no characters beyond ASCII", place)
  }

  static func count(_ summary: String, _ place: Place<UInt64?>) -> Self {
    .value("number", short: "n", .number, summary, place)
  }

  static func delay(_ place: Place<Duration?>) -> Self {
    .value("delay", .time, "wait this long after each value: 250ms, 5s", place)
  }

  static func demand(_ summary: String, _ place: Place<DemandPlan.Window?>) -> Self {
    .value("demand", .window, summary, place)
  }

  static func length(_ place: Place<Duration?>) -> Self {
    .value("for", .time, "stop after this long: 5s, 2m", place)
  }

  static func null(_ place: Place<Bool>) -> Self {
    .flag("null", short: "0", "a NUL byte ends each value, as in find -print0", place)
  }

  static func rate(_ summary: String, _ place: Place<Double?>) -> Self {
    .value("rate", .rate, summary, place)
  }

  static func timeout(_ place: Place<Duration?>) -> Self {
    .value("timeout", .time, "give up after this long (10s, 2m), with exit code 124", place)
  }
}
