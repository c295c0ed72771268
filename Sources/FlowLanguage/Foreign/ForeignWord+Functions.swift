// Functions and properties of values in Swift and JavaScript.

extension ForeignWord {
  static let functions = texts + numbers + arrays + types(of: "values") + effects

  private static func function(_ word: String, _ example: String, as name: String) -> ForeignWord {
    ForeignWord(word, .function, "taps.map { \(example) }", .name(name))
  }

  private static func function(
    _ word: String,
    _ example: String,
    _ make: @escaping @Sendable (ForeignCall) -> String?
  ) -> ForeignWord {
    ForeignWord(word, .function, "taps.map { \(example) }", .call(make))
  }

  private static func whole(
    _ word: String,
    _ example: String,
    _ make: @escaping @Sendable (ForeignCall) -> String?
  ) -> ForeignWord {
    ForeignWord(word, .function, "taps.map { \(example) }", .whole(make))
  }

  private static func function(_ word: String, advice: String) -> ForeignWord {
    ForeignWord(word, .function, "taps.map { $0.\(word)() }", .advice(advice))
  }

  private static let texts = [
    function("toUpperCase", "$0.a.toUpperCase()", as: "uppercased"),
    function("toLowerCase", "$0.a.toLowerCase()", as: "lowercased"),
    function("startsWith", "$0.a.startsWith(\"b\")", as: "hasPrefix"),
    function("starts", "$0.a.starts(with: \"b\")") { "hasPrefix(\($0.argument(0, "text")))" },
    function("endsWith", "$0.a.endsWith(\"b\")", as: "hasSuffix"),
    function("includes", "$0.a.includes(\"b\")", as: "contains"),
    function("localizedCaseInsensitiveContains", "$0.a.localizedCaseInsensitiveContains(\"b\")") {
      "lowercased().contains(\($0.argument(0, "text")))"
    },
    function("trim", "$0.a.trim()") { _ in "trimmed" },
    function("trimmingCharacters", "$0.a.trimmingCharacters(in: .whitespaces)") { _ in "trimmed" },
    function("components", "$0.a.components(separatedBy: \",\")") {
      "split(separator: \($0.argument(0, "text")))"
    },
    function("replace", "$0.a.replace(\"b\", \"c\")") {
      "replacing(\($0.argument(0, "text")), with: \($0.argument(1, "text")))"
    },
    function("replaceAll", "$0.a.replaceAll(\"b\", \"c\")") {
      "replacing(\($0.argument(0, "text")), with: \($0.argument(1, "text")))"
    },
    function("replacingOccurrences", "$0.a.replacingOccurrences(of: \"b\", with: \"c\")") {
      "replacing(\($0.argument(0, "text")), with: \($0.argument(1, "text")))"
    },
    function("length", "$0.a.length()") { _ in "count" },
    function("size", "$0.a.size()") { _ in "count" },
    whole("toString", "$0.a.toString()") { "String(\($0.base))" },
    whole("description", "$0.a.description()") { "String(\($0.base))" },
    whole("debugDescription", "$0.a.debugDescription()") { "String(\($0.base))" },
    whole("stringify", "JSON.stringify($0)") { "String(\($0.argument(0, "value")))" },
    whole("parse", "JSON.parse($0)") { "JSON(\($0.argument(0, "text")))" },
    function("toFixed", "$0.a.toFixed(2)") {
      "formatted(places: \($0.argument(0, "2")))"
    },
    function("toPrecision", "$0.a.toPrecision(2)") {
      "formatted(places: \($0.argument(0, "2")))"
    },
  ]

  private static let numbers = [
    whole("isMultiple", "$0.a.isMultiple(of: 2)") {
      "(\($0.base) % \($0.argument(0, "number")) == 0)"
    },
    whole("magnitude", "$0.a.magnitude()") { "abs(\($0.base))" },
    whole("signum", "$0.a.signum()") {
      "(\($0.base) < 0 ? -1 : \($0.base) > 0 ? 1 : 0)"
    },
    whole("toInt", "$0.a.toInt()") { "Int(\($0.base))" },
    whole("toDouble", "$0.a.toDouble()") { "Double(\($0.base))" },
    whole("parseInt", "parseInt($0)") { "Int(\($0.argument(0, "value")))" },
    whole("parseFloat", "parseFloat($0)") { "Double(\($0.argument(0, "value")))" },
    whole("Number", "Number($0)") { "Double(\($0.argument(0, "value")))" },
    function("Float", "Float($0)", as: "Double"),
    function("CGFloat", "CGFloat($0)", as: "Double"),
    function("Decimal", "Decimal($0)", as: "Double"),
    function("UInt", "UInt($0)", as: "Int"),
    function("Int32", "Int32($0)", as: "Int"),
    function("Int64", "Int64($0)", as: "Int"),
    function("UInt64", "UInt64($0)", as: "Int"),
    whole("Bool", "Bool($0)") { "(\($0.argument(0, "value")) == \"true\")" },
  ]

  private static let arrays = [
    whole("indices", "$0.a.indices()") { "(0..<\($0.base).count)" },
    function("join", "$0.a.join(\",\")") { "joined(separator: \($0.argument(0, "text")))" },
    function("sort", "$0.a.sort()", as: "sorted"),
    function("some", "$0.a.some { $0 > 1 }", as: "contains"),
    function("any", "$0.a.any { $0 > 1 }", as: "contains"),
    function("mapValues", "$0.a.mapValues { $0 }") { "values.map \($0.closure())" },
    whole("append", "[$0].append(1)") { "(\($0.base) + [\($0.argument(0, "value"))])" },
    whole("push", "[$0].push(1)") { "(\($0.base) + [\($0.argument(0, "value"))])" },
    function(
      "flatMap",
      advice: "use reduce([]) { $0 + … }; the operator flatMap is for publishers"
    ),
    function(
      "removeFirst",
      advice: "values cannot be changed; use the operators output or dropFirst"
    ),
    function("forEach", advice: "use map; closures have no side effects"),
  ]

  private static func types(of what: String) -> [ForeignWord] {
    [
      function("Array", advice: "\(what) have no types"),
      function("Set", advice: "\(what) have no types"),
      function("type", advice: "\(what) have no types"),
      function("Dictionary", advice: "use [\"key\": value], or the operator group(by:)"),
      function("JSONDecoder", advice: "\(what) are JSON; use $0.name, or JSON(text) for a text"),
      function("JSONEncoder", advice: "\(what) are JSON; use String(value) for the text"),
      function(
        "JSONSerialization",
        advice: "\(what) are JSON; use $0.name, or JSON(text) for a text"
      ),
    ]
  }

  private static let effects =
    ["print", "debugPrint", "dump", "NSLog", "console"].map {
      function($0, advice: "closures have no side effects; use the stage .print(\"label\")")
    }
    + ["fatalError", "assert", "precondition", "preconditionFailure"].map {
      function($0, advice: "use fail(\"text\"), which fails the stage")
    }
    + [
      function(
        "CACurrentMediaTime",
        advice: "use now, the seconds since 1970, or Timer or measureInterval(using:)"
      )
    ]
    + ["random", "randomElement", "shuffled", "UUID"].map {
      function($0, advice: "closures are pure; send random numbers to a subject")
    }
    + [function("sleep", advice: "use the operator delay(for: time)")]
}
