extension FunctionTable {
  private static let places = FunctionEntry.Parameter.integer(0...Decimals.most)

  static let reals: [FunctionEntry] = [
    method(
      "rounded",
      "()",
      of: .number,
      "The nearest integer; halves are rounded away from 0.",
      "2.5.rounded()",
      "3.0",
      gives: .number,
      .unary(Numbers.round)
    ),
    method(
      "rounded",
      "(to: number)",
      of: .number,
      takes: [.integer(0...Decimals.most, label: "to")],
      "The number rounded to that many places, from 0 to 20, as it is written.",
      "2.675.rounded(to: 2)",
      "2.68",
      gives: .number,
      .binary(Decimals.rounded)
    ),
    function(
      "round",
      "(number, number)",
      takes: [.value(.number), places],
      "The number rounded to that many places, as by rounded(to:).",
      "round(2.675, 2)",
      "2.68",
      gives: .number,
      .binary(Decimals.rounded)
    ),
    method(
      "formatted",
      "(places: number)",
      of: .number,
      takes: [.integer(0...Decimals.most, label: "places")],
      "The text of the number with that many places, from 0 to 20.",
      "3.1.formatted(places: 2)",
      #""3.10""#,
      gives: .string,
      .binary(Decimals.formatted)
    ),
    function(
      "sqrt",
      "(number)",
      takes: .number,
      "The square root.",
      "sqrt(2.25)",
      "1.5",
      gives: .double,
      .unary(Reals.squareRoot)
    ),
    function(
      "pow",
      "(a, b)",
      takes: [.value(.number), .value(.number)],
      "The number a to the power of b.",
      "pow(2, 10)",
      "1024.0",
      gives: .double,
      .binary(Reals.power)
    ),
    function(
      "exp",
      "(number)",
      takes: .number,
      "The number e to that power.",
      "exp(0)",
      "1.0",
      gives: .double,
      .unary(Reals.exponential)
    ),
    function(
      "log",
      "(number)",
      takes: .number,
      "The natural logarithm.",
      "log(1)",
      "0.0",
      gives: .double,
      .unary(Reals.logarithm)
    ),
    function(
      "log2",
      "(number)",
      takes: .number,
      "The logarithm to the base 2.",
      "log2(8)",
      "3.0",
      gives: .double,
      .unary(Reals.logarithm2)
    ),
    function(
      "log10",
      "(number)",
      takes: .number,
      "The logarithm to the base 10.",
      "log10(100)",
      "2.0",
      gives: .double,
      .unary(Reals.logarithm10)
    ),
  ]
}
