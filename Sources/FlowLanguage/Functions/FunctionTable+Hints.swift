extension FunctionTable {
  /// What there is instead of a function or property of Swift's that closures lack.
  static func hint(_ name: Identifier) -> Diagnostic? {
    guard let hint = hints[name.text] else { return nil }
    return Diagnostic("there is no \(name.text) in a closure: \(hint)", at: name.range)
  }

  private static let noEffect = "closures have no effect; .print(\"label\") is a stage"
  private static let noClock =
    "closures know no clock; Timer counts, and measureInterval(using:) measures"
  private static let noChance = "closures are pure; send random numbers to a subject"

  private static let hints = [
    "rounded": "round(number), floor(number) and ceil(number) are",
    "isMultiple": "a % b == 0 says so",
    "magnitude": "abs(number) is",
    "signum": "a < 0 ? -1 : 1 says so",
    "components": "split(separator: text) is",
    "trimmingCharacters": "trimmed is",
    "trim": "trimmed is",
    "replacingOccurrences": "replacing(text, with: text) is",
    "localizedCaseInsensitiveContains": "lowercased().contains(text) is",
    "starts": "hasPrefix(text) is",
    "description": "String(value) is",
    "debugDescription": "String(value) is",
    "toString": "String(value) is",
    "length": "count is",
    "size": "count is",
    "forEach": "map goes through an array, and closures have no effect",
    "enumerated": "(0..<array.count).map { [$0, array[$0]] } says so",
    "indices": "0..<array.count says so",
    "sum": "reduce(0, +) is",
    "flatMap": "reduce([]) { $0 + … } says so, and as an operator it goes with publishers",
    "mapValues": "map goes through keys",
    "sort": "sorted() is",
    "append": "array + [value] says so, and as an operator it goes with publishers",
    "removeFirst": "nothing can be changed; output and dropFirst are operators",
    "print": noEffect,
    "debugPrint": noEffect,
    "dump": noEffect,
    "NSLog": noEffect,
    "log": noEffect,
    "fatalError": "fail(\"text\") fails the stage",
    "assert": "fail(\"text\") fails the stage",
    "precondition": "fail(\"text\") fails the stage",
    "preconditionFailure": "fail(\"text\") fails the stage",
    "sleep": "delay(for: time) is an operator",
    "Float": "Double(value) is",
    "CGFloat": "Double(value) is",
    "Decimal": "Double(value) is",
    "UInt": "Int(value) is",
    "Int32": "Int(value) is",
    "Int64": "Int(value) is",
    "UInt64": "Int(value) is",
    "Bool": "value == \"true\" says so",
    "Array": "values have no types",
    "Set": "values have no types",
    "Dictionary": "[\"key\": value] is an object, and group(by:) an operator",
    "type": "values have no types",
    "Date": noClock,
    "CACurrentMediaTime": noClock,
    "random": noChance,
    "randomElement": noChance,
    "shuffled": noChance,
    "UUID": noChance,
    "JSONDecoder": "values are JSON, and $0.name looks into one",
    "JSONEncoder": "values are JSON, and String(value) is its text",
    "JSONSerialization": "values are JSON, and $0.name looks into one",
  ]
}
