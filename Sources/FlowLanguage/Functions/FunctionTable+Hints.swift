extension FunctionTable {
  /// What there is instead of a function or property of Swift's that closures lack.
  static func hint(_ name: Identifier) -> Diagnostic? {
    guard let hint = hints[name.text] else { return nil }
    return Diagnostic("\(name.text) is not available in a closure: \(hint)", at: name.range)
  }

  private static let noEffect = "closures have no side effects; use the stage .print(\"label\")"
  private static let noClock =
    "use now, the seconds since 1970, or Timer or measureInterval(using:)"
  private static let noChance = "closures are pure; send random numbers to a subject"

  private static let hints = [
    "isMultiple": "use a % b == 0",
    "magnitude": "use abs(number)",
    "signum": "use a < 0 ? -1 : 1",
    "components": "use split(separator: text)",
    "trimmingCharacters": "use trimmed",
    "trim": "use trimmed",
    "replacingOccurrences": "use replacing(text, with: text)",
    "localizedCaseInsensitiveContains": "use lowercased().contains(text)",
    "starts": "use hasPrefix(text)",
    "description": "use String(value)",
    "debugDescription": "use String(value)",
    "toString": "use String(value)",
    "length": "use count",
    "size": "use count",
    "forEach": "use map; closures have no side effects",
    "indices": "use 0..<array.count",
    "flatMap": "use reduce([]) { $0 + … }; the operator flatMap is for publishers",
    "mapValues": "use keys.map",
    "sort": "use sorted()",
    "append": "use array + [value]; the operator append is for publishers",
    "removeFirst": "values cannot be changed; use the operators output or dropFirst",
    "print": noEffect,
    "debugPrint": noEffect,
    "dump": noEffect,
    "NSLog": noEffect,
    "fatalError": "use fail(\"text\"), which fails the stage",
    "assert": "use fail(\"text\"), which fails the stage",
    "precondition": "use fail(\"text\"), which fails the stage",
    "preconditionFailure": "use fail(\"text\"), which fails the stage",
    "sleep": "use the operator delay(for: time)",
    "Float": "use Double(value)",
    "CGFloat": "use Double(value)",
    "Decimal": "use Double(value)",
    "UInt": "use Int(value)",
    "Int32": "use Int(value)",
    "Int64": "use Int(value)",
    "UInt64": "use Int(value)",
    "Bool": "use value == \"true\"",
    "Array": "values have no types",
    "Set": "values have no types",
    "Dictionary": "use [\"key\": value], or the operator group(by:)",
    "type": "values have no types",
    "CACurrentMediaTime": noClock,
    "random": noChance,
    "randomElement": noChance,
    "shuffled": noChance,
    "UUID": noChance,
    "JSONDecoder": "values are JSON; use $0.name",
    "JSONEncoder": "values are JSON; use String(value) for the text",
    "JSONSerialization": "values are JSON; use $0.name",
  ]
}
