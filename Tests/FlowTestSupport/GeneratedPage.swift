internal import Foundation

/// A page of the documentation that a test compares with the sources, as a whole or by tables.
///
/// With `FLOW_WRITE_PAGES` in the environment, the test writes the page; `Scripts/pages` writes all.
public struct GeneratedPage {
  /// The expected text of the page.
  public var text: String
  private let file: URL

  /// Reads the page at `path` in the folder of the package, if it exists.
  public init(_ path: String) throws {
    file =
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(path)")
      .standardized
    text = FileManager.default.fileExists(atPath: file.path) ? try Self.read(file) : ""
  }

  public struct OtherTables: Error {
    public let header: String
  }

  /// Replaces the rows of the only table with this header.
  public mutating func setRows(_ rows: [[String]], below header: String) throws {
    try setRows(of: [rows], below: header)
  }

  /// Replaces the rows of all tables with this header, in their order.
  public mutating func setRows(of tables: [[[String]]], below header: String) throws {
    let parts = text.components(separatedBy: "\n\(header)\n")
    guard parts.count == tables.count + 1 else { throw OtherTables(header: header) }
    text = parts[0]
    for (rows, part) in zip(tables, parts.dropFirst()) {
      let lines = part.components(separatedBy: "\n")
      let rest = lines.dropFirst().drop { $0.hasPrefix("|") }
      let written = [header, lines[0]] + rows.map(Self.row) + rest
      text += "\n" + written.joined(separator: "\n")
    }
  }

  /// Returns a row of a table.
  public static func row(_ cells: [String]) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }

  /// Whether the file has the expected text; otherwise writes it, with `FLOW_WRITE_PAGES`.
  public func isUpToDate() throws -> Bool {
    let isSame = (try? Self.read(file)) == text
    if !isSame, ProcessInfo.processInfo.environment["FLOW_WRITE_PAGES"] != nil {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    return isSame
  }

  private static func read(_ file: URL) throws -> String {
    try String(contentsOf: file, encoding: .utf8)
  }
}
