/// What there is to know about one source or operator.
public struct OperatorEntry: Sendable {
  /// The name, as in the text of a pipeline.
  public let name: String
  /// How it is written, with its labels.
  public let signature: String
  /// What it does, in one line.
  public let summary: String
  /// What becomes of demand.
  public let demand: String
  /// A line that uses it.
  public let example: String

  /// Whether a pipeline can begin with it.
  public let isSource: Bool

  /// The labels in the signature.
  var labels: [String] {
    signature.split(separator: ":").dropLast().compactMap { part in
      part.split { !$0.isLetter }.last.map(String.init)
    }
  }
}
