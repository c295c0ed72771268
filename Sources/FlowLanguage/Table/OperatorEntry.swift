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

  /// Where it stands.
  public let role: Role

  /// Where something may stand in a pipeline.
  public enum Role: Sendable {
    /// At the beginning.
    case source
    /// Behind a publisher.
    case stage
    /// At the end of a run.
    case ending
  }

  /// The labels in the signature.
  var labels: [String] {
    signature.split(separator: ":").dropLast().compactMap { part in
      part.split { !$0.isLetter }.last.map(String.init)
    }
  }
}
