extension FunctionTable {
  static let search: [FunctionEntry] = [
    method(
      "first",
      "(where: { element in … })",
      of: .array,
      takes: [.closure(1, makes: .bool, label: "where")],
      "The first element for which the closure is true; null if there is none.",
      "[3, 1, 2].first { $0 < 3 }",
      "1",
      gives: .any,
      .closure(Search.first)
    ),
    method(
      "last",
      "(where: { element in … })",
      of: .array,
      takes: [.closure(1, makes: .bool, label: "where")],
      "The last element for which the closure is true; null if there is none.",
      "[3, 1, 2].last { $0 < 3 }",
      "2",
      gives: .any,
      .closure(Search.last)
    ),
    method(
      "firstIndex",
      "(of: value)",
      of: .array,
      takes: [.value(.any, label: "of")],
      "The place of the first element that is equal, counted from 0; null if there is none.",
      "[3, 1, 2].firstIndex(of: 2)",
      "2",
      gives: [.int, .null],
      does: .search,
      .binary(Search.firstIndex)
    ),
    method(
      "firstIndex",
      "(where: { element in … })",
      of: .array,
      takes: [.closure(1, makes: .bool, label: "where")],
      "The place of the first element for which the closure is true; null if there is none.",
      "[3, 1, 2].firstIndex { $0 < 3 }",
      "1",
      gives: [.int, .null],
      .closure(Search.firstIndex)
    ),
    method(
      "allSatisfy",
      " { element in … }",
      of: .array,
      takes: [.closure(1, makes: .bool)],
      "Whether the closure is true for all elements.",
      "[3, 1, 2].allSatisfy { $0 > 0 }",
      "true",
      gives: .bool,
      .closure(Search.allSatisfy)
    ),
    method(
      "min",
      "(by: { a, b in … })",
      of: .array,
      takes: [.closure(2, makes: .bool, label: "by")],
      "The smallest element, by a closure that says whether a comes before b, or a key path.",
      #"[["n": 2], ["n": 1]].min(by: \.n)"#,
      #"{"n":1}"#,
      gives: .any,
      .closure(Search.least)
    ),
    method(
      "max",
      "(by: { a, b in … })",
      of: .array,
      takes: [.closure(2, makes: .bool, label: "by")],
      "The greatest element, by a closure that says whether a comes before b, or a key path.",
      #"["b", "ccc", "aa"].max { $0.count < $1.count }"#,
      #""ccc""#,
      gives: .any,
      .closure(Search.greatest)
    ),
    method(
      "enumerated",
      "()",
      of: .array,
      "The elements with their places; a closure may name both.",
      #"["a", "b"].enumerated()"#,
      #"[{"offset":0,"element":"a"},{"offset":1,"element":"b"}]"#,
      gives: .array,
      does: .making,
      holding: .numbered,
      .unary(Search.enumerated)
    ),
    function(
      "zip",
      "(a, b)",
      takes: [.value(.array), .value(.array)],
      "Arrays of the first elements of both, of the second ones …, as long as there are two.",
      "zip([1, 2, 3], [4, 5]).map { $0 * $1 }",
      "[4,10]",
      gives: .array,
      does: .making,
      holding: .pairs,
      .binary(Search.zip)
    ),
  ]
}
