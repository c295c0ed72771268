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
}
