extension FunctionTable {
  static let figures: [FunctionEntry] =
    figure(
      "sum",
      "The sum of the numbers; 0 if there are none.",
      "[1, 2.5, 3]",
      "6.5",
      gives: .number,
      .unary(Figures.sum)
    )
    + figure(
      "average",
      "The average of the numbers, a Double; null if there are none.",
      "[1, 2, 6]",
      "3.0",
      gives: [.double, .null],
      .unary(Figures.average)
    )
    + figure(
      "median",
      "The number in the middle, or the average of the two there; null if there is none.",
      "[3, 1, 2, 9]",
      "2.5",
      gives: [.double, .null],
      does: .order,
      .unary(Figures.median)
    )
    + [
      method(
        "percentile",
        "(number)",
        of: .array,
        takes: [.share],
        "The number below which that part of the others is, from 0 to 1; null if there is none.",
        "[1, 2, 3, 4, 5].percentile(0.9)",
        "4.6",
        gives: [.double, .null],
        does: .order,
        .binary(Figures.percentile)
      )
    ]

  /// The rows of a function that may be called with parentheses or without.
  private static func figure(
    _ name: String,
    _ summary: String,
    _ array: String,
    _ result: String,
    gives: Kinds,
    does work: Price.Work = .elements,
    _ body: FunctionEntry.Body
  ) -> [FunctionEntry] {
    [
      property(
        name,
        of: .array,
        summary,
        "\(array).\(name)",
        result,
        gives: gives,
        does: work,
        body
      ),
      method(
        name,
        "()",
        of: .array,
        "The same as \(name).",
        "\(array).\(name)()",
        result,
        gives: gives,
        does: work,
        body
      ),
    ]
  }
}
