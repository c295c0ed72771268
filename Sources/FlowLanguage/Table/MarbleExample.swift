/// A pipeline of the reference page with what goes in and what comes out, which a test plays.
public struct MarbleExample: Sendable {
  /// The rows of the sources: name and diagram.
  public let sources: [(name: String, marbles: String)]
  /// The pipeline.
  public let text: String
  /// What its subscriber asks for, if that is not everything.
  public let demand: String?
  /// What comes out.
  public let output: String

  init(
    _ text: String,
    _ sources: KeyValuePairs<String, String> = [:],
    asking demand: String? = nil,
    gives output: String
  ) {
    self.sources = sources.map { ($0.key, $0.value) }
    self.text = text
    self.demand = demand
    self.output = output
  }

  /// The rows as the page has them: the diagrams one below another.
  public var rows: [String] {
    var rows = sources.map { ($0.name, $0.marbles) }
    if let demand { rows.append(("⇠", demand)) }
    rows.append((text, output))
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, marbles in
      name + String(repeating: " ", count: width - name.count + 2) + marbles
    }
  }
}
