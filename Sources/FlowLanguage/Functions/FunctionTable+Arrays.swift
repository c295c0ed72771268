extension FunctionTable {
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
}
