/// Stages whose closure has no answer for one number, from which it divides by the distance.
extension ModelPipeline {
  /// The closure with `n` for the number in `60 / ($0 - 4)`, and that number: for it there is no answer.
  static func gap(_ closure: String?) -> (shape: String, number: Int)? {
    guard let closure, let start = closure.firstRange(of: " - ")?.upperBound,
      let end = closure[start...].firstIndex(of: ")"), let number = Int(closure[start..<end])
    else { return nil }
    return (closure.replacing(" - \(number))", with: " - n)"), number)
  }

  /// The name of an operator without `try`, and whether it has that.
  private static func untried(_ name: String) -> (name: String, isTrying: Bool) {
    guard name.hasPrefix("try"), let first = name.dropFirst(3).first else { return (name, false) }
    return (first.lowercased() + name.dropFirst(4), true)
  }

  /// The values of a stage, as far as they come to its closure.
  private struct Input {
    /// The one without an answer.
    let number: Int
    var came: ArraySlice<Int>
    /// The code that the stage fails with behind them; nil if it is done then.
    var failure: String?

    var others: [Int] { came.filter { $0 != number } }

    func quotient(_ value: Int) -> Int { 60 / (value - number) }

    /// Ends the stage with the first value for which `isLast` says so; returns that, if there is one.
    mutating func end(where isLast: (_ quotient: Int) -> Bool) -> Int? {
      let place = came.firstIndex { $0 != number && isLast(quotient($0)) }
      guard let place else { return nil }
      came = came[...place]
      failure = nil
      return came[place]
    }
  }

  /// Applies a stage whose closure has no answer for `number`; with `try` it fails there.
  mutating func apply(_ call: Call, _ shape: String, without number: Int) -> Bool {
    guard let all = numbers else { return false }
    let (name, isTrying) = Self.untried(call.name)
    let came = isTrying ? all.prefix { $0 != number } : all[...]
    var input = Input(
      number: number,
      came: came,
      failure: came.count < all.count ? "stage" : failure
    )
    let (before, mayHaveDropped) = (failure, mayDrop)
    guard let new = items(of: call, name, shape, all, &input) else { return false }
    items = new
    // What is cut off, or overtaken by a failure, does not come to the closures.
    if omitted > 0, input.came.count < all.count { areAllOmitted = false }
    if isHasty, before != nil { areAllOmitted = false }
    // What was dropped before the closure may have been such a value.
    if mayHaveDropped {
      isCounted = false
      areAllOmitted = false
    }
    if !isTrying { omitted += input.came.count - input.others.count }
    failure = input.failure
    return true
  }

  /// What a stage makes of its values; nil if it is not known here.
  private mutating func items(
    of call: Call,
    _ name: String,
    _ shape: String,
    _ all: [Int],
    _ input: inout Input
  ) -> [Item]? {
    let number = input.number
    func quotient(_ value: Int) -> Int { 60 / (value - number) }
    let first = call.arguments.last.flatMap { Int($0) } ?? 0
    switch (name, shape) {
    case ("map", "60 / ($0 - n)"):
      tail = tail.compactMap(\.number).filter { $0 != number }.map { Item.number(quotient($0)) }
      return input.others.map { Item.number(quotient($0)) }
    case ("map", "Just(60 / ($0 - n))"):
      publisherSize = 1
      return input.others.map { Item.number(quotient($0)) }
    case ("filter", "60 / ($0 - n) > 5"), ("compactMap", "60 / ($0 - n) > 5 ? $0 : null"):
      tail = tail.filter { item in
        item.number.map { $0 != number && quotient($0) > 5 } ?? false
      }
      return input.others.filter { quotient($0) > 5 }.map(Item.number)
    case ("scan", "$0 + 60 / ($1 - n)"):
      var sum = first
      return input.others.map {
        sum += quotient($0)
        return Item.number(sum)
      }
    case ("reduce", "$0 + 60 / ($1 - n)"):
      let sum = input.others.reduce(first) { $0 + quotient($1) }
      return input.failure == nil ? [Item.number(sum)] : []
    case ("flatMap", "Just(60 / ($0 - n))"), ("concatMap", "Just(60 / ($0 - n))"):
      isHasty = true
      return input.others.map { Item.number(quotient($0)) }
    case ("flatMapLatest", "Just(60 / ($0 - n))"):
      isHasty = true
      thin()
      let items = input.others.map { Item.number(quotient($0)) }
      if input.failure == nil { tail = items.suffix(1) }
      return items
    case ("exhaustMap", "Just(60 / ($0 - n))"):
      // What comes while it is at work is dropped.
      thin()
      areAllOmitted = false
      return input.others.map { Item.number(quotient($0)) }
    case ("removeDuplicates", "60 / ($0 - n) == 60 / ($1 - n)"):
      var different: [Int] = []
      for value in input.others where different.last.map(quotient) != quotient(value) {
        different.append(value)
      }
      return different.map(Item.number)
    case ("first", "60 / ($0 - n) < 5"):
      return input.end { $0 < 5 }.map { [Item.number($0)] } ?? []
    case ("last", "60 / ($0 - n) > 5"):
      return chosen(of: input) { $0.last { quotient($0) > 5 } }
    case ("prefix", "60 / ($0 - n) > 5"):
      _ = input.end { $0 <= 5 }
      return input.others.filter { quotient($0) > 5 }.map(Item.number)
    case ("drop", "60 / ($0 - n) > 5"):
      // Behind the first value that it passes on, the closure is not asked.
      let place = input.came.firstIndex { $0 != number && quotient($0) <= 5 }
      guard let place else { return [] }
      input.came = input.came[...place]
      input.failure = failure
      return all[place...].map(Item.number)
    case ("contains", "60 / ($0 - n) == 20"):
      if input.end(where: { $0 == 20 }) != nil { return [Item.truth(true)] }
      return input.failure == nil ? [Item.truth(false)] : []
    case ("allSatisfy", "60 / ($0 - n) > 5"):
      if input.end(where: { $0 <= 5 }) != nil { return [Item.truth(false)] }
      return input.failure == nil ? [Item.truth(true)] : []
    case ("min", "60 / ($0 - n) < 60 / ($1 - n)"):
      return chosen(of: input) { $0.min { quotient($0) < quotient($1) } }
    case ("max", "60 / ($0 - n) < 60 / ($1 - n)"):
      return chosen(of: input) { $0.max { quotient($0) < quotient($1) } }
    case ("zip", "60 / ($0 - n) + $1"):
      guard let other = call.arguments.first.flatMap(Self.publisher), failure == nil else {
        return nil
      }
      input.came = input.came.prefix(other.count)
      let pairs = zip(input.came, other).filter { $0.0 != number }
      return pairs.map { Item.number(quotient($0.0) + $0.1) }
    case ("combineLatest", "60 / ($0 - n) + $1") where call.arguments == ["Just(1)"]:
      guard failure == nil else { return nil }
      // Which pairs come depends on the demand.
      thin()
      areAllOmitted = false
      return input.others.map { Item.number(quotient($0) + 1) }
    case ("withLatest", "a, b in 60 / (a - n) + b"):
      let text = call.arguments.first?.replacing("from:", with: "")
      guard let newest = text.flatMap(Self.publisher)?.last, failure == nil else { return nil }
      return input.others.map { Item.number(quotient($0) + newest) }
    case ("group", "60 / ($0 - n) }) { $0.count()"):
      isMixed = true
      guard input.failure == nil else { return [] }
      return Dictionary(grouping: input.others, by: quotient).values.map { Item.number($0.count) }
    default: return nil
    }
  }

  /// The one value that a stage chooses of all, if it is done.
  private func chosen(of input: Input, _ choose: ([Int]) -> Int?) -> [Item] {
    guard input.failure == nil, let value = choose(input.others) else { return [] }
    return [Item.number(value)]
  }
}
