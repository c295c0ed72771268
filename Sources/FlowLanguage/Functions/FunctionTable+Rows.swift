extension FunctionTable {
  private static let countable: Kinds = [.string, .array, .object]
  private static let ordered: Kinds = [.string, .array]

  static let general: [FunctionEntry] = [
    property(
      "count",
      of: countable,
      "The number of characters, elements or members.",
      #""héllo".count"#,
      "5",
      gives: .int,
      does: .characters,
      .unary(Contents.count)
    ),
    property(
      "isEmpty",
      of: countable,
      "Whether there are none.",
      "[].isEmpty",
      "true",
      gives: .bool,
      .unary(Contents.isEmpty)
    ),
    property(
      "first",
      of: ordered,
      "The first element or character; null if there is none.",
      "[3, 1, 2].first",
      "3",
      gives: .any,
      .unary(Contents.first)
    ),
    property(
      "last",
      of: ordered,
      "The last element or character; null if there is none.",
      "[3, 1, 2].last",
      "2",
      gives: .any,
      .unary(Contents.last)
    ),
    method(
      "contains",
      "(value)",
      of: ordered,
      takes: [.value(.any)],
      "Whether the text contains that text, or the array that element.",
      #""teapot".contains("pot")"#,
      "true",
      gives: .bool,
      does: .search,
      .binary(Contents.contains)
    ),
    function(
      "String",
      "(value)",
      takes: [.spelled(.any)],
      "The value as text: a string as it is, anything else as JSON.",
      "String(1.50)",
      #""1.5""#,
      gives: .string,
      does: .writing,
      .unary(Contents.string)
    ),
  ]

  static let texts: [FunctionEntry] = [
    method(
      "uppercased",
      "()",
      of: .string,
      "The text in upper case.",
      #""tea".uppercased()"#,
      #""TEA""#,
      gives: .string,
      does: .characters,
      .unary(Texts.uppercased)
    ),
    method(
      "lowercased",
      "()",
      of: .string,
      "The text in lower case.",
      #""Tea".lowercased()"#,
      #""tea""#,
      gives: .string,
      does: .characters,
      .unary(Texts.lowercased)
    ),
    method(
      "hasPrefix",
      "(text)",
      of: .string,
      takes: [.value(.string)],
      "Whether the text begins with that text.",
      #""teapot".hasPrefix("tea")"#,
      "true",
      gives: .bool,
      .binary(Texts.hasPrefix)
    ),
    method(
      "hasSuffix",
      "(text)",
      of: .string,
      takes: [.value(.string)],
      "Whether the text ends in that text.",
      #""teapot".hasSuffix("tea")"#,
      "false",
      gives: .bool,
      .binary(Texts.hasSuffix)
    ),
    method(
      "split",
      "(separator: text)",
      of: .string,
      takes: [.value(.string, label: "separator")],
      "The parts between the separators, without empty ones.",
      #""a,b,,c".split(separator: ",")"#,
      #"["a","b","c"]"#,
      gives: .array,
      does: .pieces,
      .binary(Texts.split)
    ),
    property(
      "trimmed",
      of: .string,
      "The text without leading and trailing white space.",
      #""  tea\n".trimmed"#,
      #""tea""#,
      gives: .string,
      does: .pieces,
      .unary(Texts.trimmed)
    ),
    method(
      "replacing",
      "(text, with: text)",
      of: .string,
      takes: [.value(.string), .value(.string, label: "with")],
      "The text with every occurrence replaced.",
      #""a-b-c".replacing("-", with: "+")"#,
      #""a+b+c""#,
      gives: .string,
      does: .pieces,
      .ternary(Texts.replacing)
    ),
  ]

  static let arrays: [FunctionEntry] = [
    method(
      "joined",
      "(separator: text)",
      of: .array,
      takes: [.value(.string, label: "separator")],
      "The strings of the array, joined with the separator.",
      #"["a", "b"].joined(separator: ", ")"#,
      #""a, b""#,
      gives: .string,
      does: .elements,
      .binary(Arrays.joined)
    ),
    method(
      "joined",
      "()",
      of: .array,
      "The strings of the array, joined without a separator.",
      #"["a", "b"].joined()"#,
      #""ab""#,
      gives: .string,
      does: .elements,
      .unary(Arrays.joined)
    ),
    method(
      "map",
      " { element in … }",
      of: .array,
      takes: [.closure(1)],
      "The results of the closure for each element.",
      "[1, 2, 3].map { $0 * 2 }",
      "[2,4,6]",
      gives: .array,
      .closure(Arrays.map)
    ),
    method(
      "compactMap",
      " { element in … }",
      of: .array,
      takes: [.closure(1)],
      "Like map, but drops null.",
      #"["1", "x", "3"].compactMap { Int($0) }"#,
      "[1,3]",
      gives: .array,
      .closure(Arrays.compactMap)
    ),
    method(
      "filter",
      " { element in … }",
      of: .array,
      takes: [.closure(1, makes: .bool)],
      "The elements for which the closure is true.",
      "[1, 2, 3].filter { $0 > 1 }",
      "[2,3]",
      gives: .array,
      holding: .same,
      .closure(Arrays.filter)
    ),
    method(
      "reduce",
      "(initial) { result, element in … }",
      of: .array,
      takes: [.spelled(.any), .closure(2)],
      "The last result of the closure, which gets the previous result and the element.",
      "[1, 2, 3].reduce(0) { $0 + $1 }",
      "6",
      gives: .any,
      .folding(Arrays.reduce)
    ),
    method(
      "contains",
      "(where: { element in … })",
      of: .array,
      takes: [.closure(1, makes: .bool, label: "where")],
      "Whether the closure is true for any element.",
      "[1, 2, 3].contains { $0 > 2 }",
      "true",
      gives: .bool,
      .closure(Arrays.contains)
    ),
    method(
      "sorted",
      "()",
      of: .array,
      "The numbers or strings in ascending order.",
      "[3, 1, 2].sorted()",
      "[1,2,3]",
      gives: .array,
      does: .order,
      holding: .same,
      .unary(Arrays.sorted)
    ),
    method(
      "sorted",
      "(by: { a, b in … })",
      of: .array,
      takes: [.closure(2, makes: .bool, label: "by")],
      "The elements in order; the closure says whether a comes before b; or by a key path.",
      "[3, 1, 2].sorted { $0 > $1 }",
      "[3,2,1]",
      gives: .array,
      holding: .same,
      .closure(Arrays.sorted)
    ),
    method(
      "min",
      "()",
      of: .array,
      "The smallest number or string; null if there is none.",
      "[3, 1, 2].min()",
      "1",
      gives: .any,
      does: .extreme,
      .unary(Arrays.least)
    ),
    method(
      "max",
      "()",
      of: .array,
      "The greatest number or string; null if there is none.",
      "[3, 1, 2].max()",
      "3",
      gives: .any,
      does: .extreme,
      .unary(Arrays.greatest)
    ),
  ]

  static let objects: [FunctionEntry] = [
    property(
      "keys",
      of: .object,
      "The keys, in their order.",
      #"["b": 1, "a": 2].keys"#,
      #"["b","a"]"#,
      gives: .array,
      does: .characters,
      .unary(Contents.keys)
    ),
    property(
      "values",
      of: .object,
      "The values in the order of the keys.",
      #"["b": 1, "a": 2].values"#,
      "[1,2]",
      gives: .array,
      does: .characters,
      .unary(Contents.values)
    ),
    method(
      "merging",
      "(object)",
      of: .object,
      takes: [.value(.object)],
      "The members of both; of two with one key the other's, as with +.",
      #"["a": 1, "b": 2].merging(["b": 3, "c": 4])"#,
      #"{"a":1,"b":3,"c":4}"#,
      gives: .object,
      does: .making,
      .binary(Objects.merging)
    ),
    method(
      "merging",
      "(object, uniquingKeysWith: { a, b in … })",
      of: .object,
      takes: [.value(.object), .closure(2, label: "uniquingKeysWith")],
      "The members of both; of two with one key what the closure makes of them.",
      #"["a": 1].merging(["a": 2]) { $0 + $1 }"#,
      #"{"a":3}"#,
      gives: .object,
      does: .making,
      .folding(Objects.merging)
    ),
    method(
      "removing",
      "(key, …)",
      of: .object,
      takes: [.value(.string)],
      "The object without the members of these keys.",
      #"["a": 1, "b": 2].removing("a")"#,
      #"{"b":2}"#,
      gives: .object,
      does: .making,
      .several(Objects.removing)
    ),
  ]

  private static let convertible = Kinds.number.union(.string)

  static let numbers: [FunctionEntry] = [
    function(
      "Int",
      "(value)",
      takes: [.spelled(convertible)],
      "The number without its fraction, or the text as an integer; null if it is not one.",
      "Int(-2.9)",
      "-2",
      gives: [.int, .null],
      does: .pieces,
      .unary(Numbers.int)
    ),
    function(
      "Double",
      "(value)",
      takes: convertible,
      "The number, or the text as a number; null if it is not one.",
      #"Double("2.50")"#,
      "2.5",
      gives: [.double, .null],
      does: .pieces,
      .unary(Numbers.double)
    ),
    function(
      "abs",
      "(number)",
      takes: .number,
      "The absolute value.",
      "abs(-3)",
      "3",
      gives: .number,
      .unary(Numbers.abs)
    ),
    function(
      "min",
      "(a, b, …)",
      takes: [.spelled(convertible)],
      "The smallest of the numbers or strings.",
      "min(2, 0.5, 1)",
      "0.5",
      gives: convertible,
      .several(Numbers.least)
    ),
    function(
      "max",
      "(a, b, …)",
      takes: [.spelled(convertible)],
      "The greatest of the numbers or strings.",
      "max(2, 0.5, 1)",
      "2",
      gives: convertible,
      .several(Numbers.greatest)
    ),
    function(
      "round",
      "(number)",
      takes: .number,
      "The nearest integer; halves are rounded away from 0.",
      "round(2.5)",
      "3.0",
      gives: .number,
      .unary(Numbers.round)
    ),
    function(
      "floor",
      "(number)",
      takes: .number,
      "The greatest integer not above the number.",
      "floor(-2.5)",
      "-3.0",
      gives: .number,
      .unary(Numbers.floor)
    ),
    function(
      "ceil",
      "(number)",
      takes: .number,
      "The smallest integer not below the number.",
      "ceil(2.1)",
      "3.0",
      gives: .number,
      .unary(Numbers.ceil)
    ),
    function(
      "fail",
      "(text)",
      takes: [.spelled(.any)],
      "Fails the stream with that text.",
      #"1 > 0 ? "fine" : fail("odd")"#,
      #""fine""#,
      gives: .any,
      .unary(Numbers.fail)
    ),
  ]
}
