extension FunctionTable {
  private static let ordered: Kinds = [.string, .array]

  static let parts: [FunctionEntry] = [
    method(
      "prefix",
      "(count)",
      of: ordered,
      takes: [.count],
      "The first elements or characters, as many as there are.",
      "[3, 1, 2].prefix(2)",
      "[3,1]",
      gives: ordered,
      does: .part,
      holding: .same,
      .binary(Parts.prefix)
    ),
    method(
      "suffix",
      "(count)",
      of: ordered,
      takes: [.count],
      "The last elements or characters, as many as there are.",
      #""teapot".suffix(3)"#,
      #""pot""#,
      gives: ordered,
      does: .part,
      holding: .same,
      .binary(Parts.suffix)
    ),
    method(
      "dropFirst",
      "()",
      of: ordered,
      "All elements or characters but the first.",
      "[3, 1, 2].dropFirst()",
      "[1,2]",
      gives: ordered,
      does: .part,
      holding: .same,
      .unary(Parts.dropFirst)
    ),
    method(
      "dropFirst",
      "(count)",
      of: ordered,
      takes: [.count],
      "All elements or characters but the first ones.",
      "[3, 1, 2].dropFirst(2)",
      "[2]",
      gives: ordered,
      does: .part,
      holding: .same,
      .binary(Parts.dropFirst)
    ),
    method(
      "dropLast",
      "()",
      of: ordered,
      "All elements or characters but the last.",
      #""teas".dropLast()"#,
      #""tea""#,
      gives: ordered,
      does: .part,
      holding: .same,
      .unary(Parts.dropLast)
    ),
    method(
      "dropLast",
      "(count)",
      of: ordered,
      takes: [.count],
      "All elements or characters but the last ones.",
      "[3, 1, 2].dropLast(2)",
      "[3]",
      gives: ordered,
      does: .part,
      holding: .same,
      .binary(Parts.dropLast)
    ),
    method(
      "reversed",
      "()",
      of: ordered,
      "The elements or characters from the last to the first.",
      "[3, 1, 2].reversed()",
      "[2,1,3]",
      gives: ordered,
      does: .part,
      holding: .same,
      .unary(Parts.reversed)
    ),
  ]
}
