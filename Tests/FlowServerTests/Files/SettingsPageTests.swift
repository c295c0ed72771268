import FlowFiles
import FlowTestSupport
import Foundation
import Testing

@testable import FlowServer

@Suite("page of the settings")
struct SettingsPageTests {
  private func source(_ name: String) throws -> [String] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/FlowServer/\(name).swift")
    return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
  }

  /// What `Configuration` says of a setting's property, in one line and without the unit, which a file
  /// writes.
  private func comment(of key: SettingKey) throws -> String {
    // Such as `case .stall: .time(\.timeouts.stall)`.
    let row = try source("Configuration+Settings").first { $0.contains("case .\(key): ") }
    let path = try #require(row?.split(separator: "\\.").last).dropLast().split(separator: ".")
    let isGrouped = path.count > 1
    let lines = try source("Configuration").drop { line in
      isGrouped && !line.lowercased().hasPrefix("  public struct \(path[0].lowercased()):")
    }
    let place = try #require(
      lines.firstIndex { line in
        let words = line.split { " :=".contains($0) }
        return line.hasPrefix(isGrouped ? "    public" : "  public")
          && words.count > 2 && words[1] == "var" && words[2] == path[path.count - 1]
      },
      "\(path)"
    )
    let comment = lines[..<place].reversed().map { $0.drop { $0 == " " } }
      .prefix { $0.hasPrefix("/// ") }.reversed()
    let text = comment.map { $0.dropFirst(4) }.joined(separator: " ")
    return text.replacing(", in bytes", with: "").replacing(", in nanoseconds", with: "")
  }

  @Test("docs/language.md has a row for each; Scripts/pages writes them")
  func page() throws {
    let usual = Configuration()
    let rows = try SettingKey.allCases.map { key in
      let value = usual.text(of: key)
      // The default of memory depends on the machine.
      let shown =
        key == .memory
        ? "a quarter of the machine's, at most `512MiB`" : value.isEmpty ? "-" : "`\(value)`"
      return ["`\(key.rawValue)`", try comment(of: key), shown]
    }
    var page = try GeneratedPage("docs/language.md")
    try page.setRows(rows, below: "| Setting | Meaning | Default |")
    #expect(try page.isUpToDate(), "run Scripts/pages")
  }
}
