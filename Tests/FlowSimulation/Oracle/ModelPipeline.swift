/// What a pipeline of numbers known beforehand has to make of them, worked out on whole arrays.
///
/// It knows some sources and some operators, each as one plain function from an array to an array.
/// What it does not know it says nothing about.
struct ModelPipeline {
  enum Item: Equatable {
    case number(Int)
    case array([Int])
    case truth(Bool)

    var text: String {
      switch self {
      case .number(let number): "\(number)"
      case .array(let numbers): "[\(numbers.map(String.init).joined(separator: ","))]"
      case .truth(let truth): "\(truth)"
      }
    }

    var number: Int? { if case .number(let number) = self { number } else { nil } }
  }

  var items: [Item]
  /// The code that it fails with behind them; nil if it is done then.
  var failure: String?
  /// Whether values come in another order, or some of them only.
  var isMixed = false
  private(set) var mayDrop = false
  /// Whether each value comes or is told as dropped.
  var isCounted = true
  /// Whether the values are the first of `items` and some behind it, in their order.
  private var isThinned = false
  /// Whether the values are arrays in which no place ever goes back.
  private var isRising = false
  /// How many of the values at a time are a publisher, if they are values of publishers.
  var publisherSize: Int?
  /// What the values end with if they are done, though not all of them come.
  var tail: [Item] = []
  /// Whether a failure may overtake values.
  var isHasty = false
  /// How many values closures have no answer for, and whether all of them surely come to these closures.
  var omitted = 0
  var areAllOmitted = true

  /// Works `text` out; nil if it has anything that is not known here.
  init?(_ text: String) {
    var calls = Self.calls(of: text)
    guard !calls.isEmpty, let source = Self.source(calls.removeFirst()) else { return nil }
    if calls.first?.name == "publisher" { calls.removeFirst() }
    (items, failure) = source
    for call in calls { guard apply(call) else { return nil } }
  }

  // MARK: What may come

  func objection(to values: [String]) -> String? {
    guard let last = values.last else { return nil }
    if isRising, let problem = Self.fall(values.suffix(2)) { return problem }
    if isThinned, !Self.isPart(values, of: items) { return "\(last) out of its order" }
    if isMixed { return items.contains { $0.text == last } ? nil : "\(last), which nothing makes" }
    let index = values.count - 1
    guard index < items.count else { return "\(last) behind the last value" }
    return items[index].text == last ? nil : "\(last) for \(items[index].text)"
  }

  /// Whether `values` are some of `items`, in their order.
  private static func isPart(_ values: [String], of items: [Item]) -> Bool {
    var rest = items[...]
    return values.allSatisfy { value in
      guard let place = rest.firstIndex(where: { $0.text == value }) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
  }

  /// What is wrong if of two arrays the second has anything older than the first.
  private static func fall(_ values: ArraySlice<String>) -> String? {
    let pairs = values.map { $0.split { !$0.isNumber && $0 != "-" }.compactMap { Int($0) } }
    guard pairs.count == 2, pairs[0].count == pairs[1].count else { return nil }
    let isFalling = zip(pairs[0], pairs[1]).contains { $0 > $1 } || pairs[0] == pairs[1]
    return isFalling ? "\(pairs[1]) after \(pairs[0])" : nil
  }

  /// Says what is wrong if the stream ends so.
  ///
  /// `omitted` values were told as dropped for want of an answer, and `dropped` ones for another reason.
  func objection(
    to end: String,
    after values: [String],
    dropped: Int,
    omitted: Int
  ) -> String? {
    let others = ["bad-demand", "killed", "limit", "timeout"].map { "FAIL \($0)" }
    if end.hasPrefix("cancel") || others.contains(end) { return nil }
    let expected = failure.map { "FAIL \($0)" } ?? "DONE"
    guard end == expected else { return "\(end) for \(expected)" }
    guard values.count == items.count || mayDrop || isHasty && failure != nil else {
      return "\(end) after \(values.count) of \(items.count) values"
    }
    if failure == nil, Array(values.suffix(tail.count)) != tail.map(\.text) {
      return "\(end) after \(values.suffix(3)), which is not \(tail.map(\.text))"
    }
    if mayDrop, isCounted, failure == nil, values.count + dropped != items.count {
      return "\(end) after \(values.count) values and \(dropped) dropped of \(items.count)"
    }
    if areAllOmitted, omitted != self.omitted {
      return "\(end) after \(omitted) of \(self.omitted) values without an answer"
    }
    return nil
  }

  func omission(_ values: [String], asked: Int) -> String? {
    let wanted = min(asked, items.count)
    if mayDrop { return nil }
    if values.count < wanted { return "\(values.count) values of \(wanted), and no more" }
    return values.count == items.count && asked > items.count ? "no end" : nil
  }

  // MARK: Reading

  struct Call {
    var name: String
    var arguments: [String]
    var closure: String?
  }

  /// `a.b(c) { d }` as its calls.
  static func calls(of text: String) -> [Call] {
    split(text, at: ".").map { part in
      var head = part
      var closure: String?
      if let brace = part.firstIndex(of: "{") {
        head = String(part[..<brace])
        closure = String(part[part.index(after: brace)...].dropLast(1))
      }
      head = head.filter { $0 != " " }
      guard let open = head.firstIndex(of: "("), open != head.startIndex else {
        return Call(name: head, arguments: [], closure: closure.map(Self.trimmed))
      }
      let inner = String(head[head.index(after: open)...].dropLast())
      return Call(
        name: String(head[..<open]),
        arguments: inner.isEmpty ? [] : split(inner, at: ","),
        closure: closure.map(Self.trimmed)
      )
    }
  }

  /// What stands between the signs outside all brackets.
  private static func split(_ text: String, at separator: Character) -> [String] {
    var parts: [String] = []
    var part = ""
    var depth = 0
    for sign in text {
      if "([{".contains(sign) { depth += 1 }
      if ")]}".contains(sign) { depth -= 1 }
      if sign == separator, depth == 0 {
        parts.append(part)
        part = ""
      } else {
        part.append(sign)
      }
    }
    return parts + [part]
  }

  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  private static func source(_ call: Call) -> (items: [Item], failure: String?)? {
    switch call.name {
    case "Just": return call.arguments.first.flatMap { Int($0) }.map { ([.number($0)], nil) }
    case "Empty": return ([], nil)
    case "Fail": return ([], "stage")
    default: return numbers(call.name).map { ($0.map(Item.number), nil) }
    }
  }

  /// `(1...5)` or `[1,2,3]`, with or without `.publisher` behind it.
  private static func numbers(_ text: String) -> [Int]? {
    let inner = text.filter { !"()".contains($0) }
    if let dots = inner.firstRange(of: "...") {
      guard let first = Int(inner[..<dots.lowerBound]), let last = Int(inner[dots.upperBound...]),
        first <= last, last - first < 10_000
      else { return nil }
      return Array(first...last)
    }
    guard inner.hasPrefix("["), inner.hasSuffix("]") else { return nil }
    let parts = inner.dropFirst().dropLast().split(separator: ",")
    let numbers = parts.compactMap { Int($0.filter { $0 != " " }) }
    return numbers.count == parts.count ? numbers : nil
  }

  /// `(1...5).publisher` in an argument.
  static func publisher(_ text: String) -> [Int]? {
    text.hasSuffix(".publisher") ? numbers(String(text.dropLast(".publisher".count))) : nil
  }

  /// The numbers of `append(1, 2)`, or of `append((1...5).publisher)`.
  private static func added(by call: Call) -> [Int]? {
    guard let first = call.arguments.first else { return nil }
    let numbers = call.arguments.compactMap { Int($0) }
    return numbers.count == call.arguments.count ? numbers : publisher(first)
  }

  /// Operators that may end before all values have come to those above.
  private static let cutting: Set = [
    "prefix", "first", "output", "contains", "allSatisfy", "zip",
  ]

  // MARK: Operators

  var numbers: [Int]? {
    let all = items.compactMap(\.number)
    return all.count == items.count ? all : nil
  }

  /// `$0 * 3`, `$0 + 1`, `$0 - 1`.
  private static func sum(_ closure: String?) -> ((Int) -> Int)? {
    guard let words = closure?.split(separator: " "), words.count == 3, words[0] == "$0",
      let number = Int(words[2])
    else { return nil }
    switch words[1] {
    case "*": return { $0 * number }
    case "+": return { $0 + number }
    case "-": return { $0 - number }
    default: return nil
    }
  }

  /// `$0 % 3 == 1`, `$0 > 4`, `$0 < 4`.
  private static func test(_ closure: String?) -> ((Int) -> Bool)? {
    guard let words = closure?.split(separator: " "), words.first == "$0" else { return nil }
    if words.count == 5, words[1] == "%", words[3] == "==", let divisor = Int(words[2]),
      let rest = Int(words[4]), divisor > 0
    {
      return { $0 % divisor == rest }
    }
    guard words.count == 3, let number = Int(words[2]) else { return nil }
    switch words[1] {
    case ">": return { $0 > number }
    case "<": return { $0 < number }
    case "==": return { $0 == number }
    default: return nil
    }
  }

  private mutating func finish(_ new: [Item]) {
    items = new
    failure = nil
  }

  /// Some of the values come, in their order, and it is not told how many are dropped.
  mutating func thin() {
    isMixed = true
    isThinned = true
    mayDrop = true
    isCounted = false
  }

  private mutating func apply(_ call: Call) -> Bool {
    // What takes the whole, or one by one, of a mixture is not worked out.
    if isMixed, !["map", "filter", "eraseToAnyPublisher"].contains(call.name) {
      return false
    }
    if Self.cutting.contains(call.name), omitted > 0 { areAllOmitted = false }
    if let (shape, number) = Self.gap(call.closure) {
      return apply(call, shape, without: number)
    }
    let number = call.arguments.last.flatMap { $0.split(separator: ":").last }.flatMap { Int($0) }
    switch (call.name, call.closure) {
    case ("eraseToAnyPublisher", nil): return true
    case ("buffer", nil) where call.arguments.count == 3:
      // How much it drops depends on who is quicker.
      let rule = call.arguments[2]
      guard rule == "whenFull:.dropOldest" || rule == "whenFull:.dropNewest" else { return false }
      if call.arguments[1] == "prefetch:.keepFull" { return true }
      isMixed = true
      isThinned = true
      mayDrop = true
      return true
    case ("share", nil):
      // It asks for all, and what finds no demand is dropped.
      isMixed = true
      isThinned = true
      mayDrop = true
      return true
    case ("delay", nil) where call.arguments.count == 1: return true
    case ("map", "n in [n, n + 1].publisher"):
      guard let numbers else { return false }
      items = numbers.flatMap { [.number($0), .number($0 + 1)] }
      publisherSize = 2
      return true
    case ("map", _):
      guard let change = Self.sum(call.closure), let numbers else { return false }
      items = numbers.map { .number(change($0)) }
      tail = tail.compactMap(\.number).map { .number(change($0)) }
      return true
    case ("switchToLatest", nil):
      // Each publisher but the last may be cut off by the one behind it.
      guard let numbers, let publisherSize, numbers.count % publisherSize == 0 else { return false }
      thin()
      if failure == nil { tail = items.suffix(publisherSize) } else { areAllOmitted = false }
      return true
    case ("filter", _):
      guard let test = Self.test(call.closure), let numbers else { return false }
      if mayDrop { isCounted = false }
      items = numbers.filter(test).map(Item.number)
      tail = tail.filter { $0.number.map(test) ?? false }
      return true
    case ("prefix", nil):
      guard let number, number >= 0 else { return false }
      if items.count >= number { finish(Array(items.prefix(number))) }
      return true
    case ("dropFirst", nil):
      items = Array(items.dropFirst(call.arguments.isEmpty ? 1 : number ?? 0))
      return call.arguments.isEmpty || number != nil
    case ("drop", _) where call.arguments.isEmpty:
      guard let test = Self.test(call.closure), let numbers else { return false }
      items = numbers.drop(while: test).map(Item.number)
      return true
    case ("first", nil) where call.arguments.isEmpty:
      if !items.isEmpty { finish(Array(items.prefix(1))) }
      return true
    case ("last", nil) where call.arguments.isEmpty:
      items = failure == nil ? Array(items.suffix(1)) : []
      return true
    case ("output", nil):
      guard call.arguments.first?.hasPrefix("at:") ?? false, let number, number >= 0 else {
        return false
      }
      if number < items.count { finish([items[number]]) } else { items = [] }
      return true
    case ("ignoreOutput", nil):
      items = []
      return true
    case ("removeDuplicates", nil):
      items = items.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
      return true
    case ("count", nil):
      items = failure == nil ? [.number(items.count)] : []
      return true
    case ("min", nil), ("max", nil):
      guard let numbers else { return false }
      let most = call.name == "min" ? numbers.min() : numbers.max()
      items = failure == nil ? most.map { [.number($0)] } ?? [] : []
      return true
    case ("collect", nil):
      guard let numbers else { return false }
      if call.arguments.isEmpty {
        items = failure == nil ? [.array(numbers)] : []
        return true
      }
      guard let number, call.arguments.count == 1, number > 0 else { return false }
      var parts = stride(from: 0, to: numbers.count, by: number).map {
        Array(numbers[$0..<Swift.min($0 + number, numbers.count)])
      }
      if failure != nil, parts.last.map({ $0.count < number }) ?? false { parts.removeLast() }
      items = parts.map(Item.array)
      return true
    case ("reduce", "$0 + $1"):
      guard let number, let numbers else { return false }
      items = failure == nil ? [.number(numbers.reduce(number, +))] : []
      return true
    case ("scan", "$0 + $1"):
      guard let number, let numbers else { return false }
      var sum = number
      items = numbers.map {
        sum += $0
        return .number(sum)
      }
      return true
    case ("contains", nil):
      guard let number, let numbers else { return false }
      if numbers.contains(number) {
        finish([.truth(true)])
      } else if failure == nil {
        items = [.truth(false)]
      } else {
        items = []
      }
      return true
    case ("allSatisfy", _):
      guard let test = Self.test(call.closure), let numbers else { return false }
      if !numbers.allSatisfy(test) {
        finish([.truth(false)])
      } else {
        items = failure == nil ? [.truth(true)] : []
      }
      return true
    case ("replaceEmpty", nil):
      guard let number else { return false }
      if items.isEmpty, failure == nil { items = [.number(number)] }
      return true
    case ("append", nil):
      guard let new = Self.added(by: call) else { return false }
      if failure == nil { items += new.map(Item.number) }
      return true
    case ("prepend", nil):
      guard let new = Self.added(by: call) else { return false }
      items = new.map(Item.number) + items
      return true
    case ("zip", nil):
      guard let other = call.arguments.first.flatMap(Self.publisher), let numbers else {
        return false
      }
      // It fails as soon as the failure is there, or is done once one side can make no more pairs.
      guard failure == nil else { return false }
      items = zip(numbers, other).map { .array([$0, $1]) }
      return true
    case ("combineLatest", nil):
      guard let other = call.arguments.first.flatMap(Self.publisher), let numbers, failure == nil,
        zip(numbers, numbers.dropFirst()).allSatisfy(<)
      else { return false }
      // Which of them come depends on the demand, but the newest of both always do.
      items = numbers.flatMap { number in other.map { .array([number, $0]) } }
      tail = items.suffix(1)
      isMixed = true
      isRising = true
      mayDrop = true
      isCounted = false
      return true
    case ("withLatest", "a, b in a * 100 + b"):
      let text = call.arguments.first?.replacing("from:", with: "")
      guard let other = text.flatMap(Self.publisher), let newest = other.last, let numbers,
        failure == nil
      else { return false }
      items = numbers.map { .number($0 * 100 + newest) }
      return true
    case ("merge", nil):
      guard
        let other = call.arguments.first.map({ $0.replacing("with:", with: "") })
          .flatMap(Self.publisher), failure == nil
      else { return false }
      items += other.map(Item.number)
      isMixed = true
      return true
    case ("flatMap", let closure?):
      guard let numbers else { return false }
      switch closure {
      case "Just($0)":
        isHasty = true
        return call.arguments.isEmpty || number != nil || isLimited(call)
      case "[$0, $0 + 1].publisher":
        guard isOneByOne(call) else { return false }
        isHasty = true
        items = numbers.flatMap { [.number($0), .number($0 + 1)] }
        return true
      default: return false
      }
    case ("catch", "_ in Just(7)"):
      if failure != nil { finish(items + [.number(7)]) }
      return true
    case ("replaceError", nil):
      guard let number else { return false }
      if failure != nil { finish(items + [.number(number)]) }
      return true
    case ("retry", nil):
      guard let number, number >= 0 else { return false }
      guard failure != nil else { return true }
      items = Array(repeating: items, count: number + 1).flatMap { $0 }
      omitted *= number + 1
      return true
    default: return false
    }
  }

  private func isLimited(_ call: Call) -> Bool {
    call.arguments.first?.hasPrefix("maxPublishers:") ?? false
  }

  private func isOneByOne(_ call: Call) -> Bool { call.arguments.first == "maxPublishers:.max(1)" }
}
