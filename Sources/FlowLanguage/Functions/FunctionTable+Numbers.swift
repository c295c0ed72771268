extension FunctionTable {
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
