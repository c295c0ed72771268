import FlowFiles
import FlowTestSupport
import Foundation
import Testing

@testable import FlowServer

@Suite("page of the settings")
struct SettingsPageTests {
  /// What `Configuration` says of a property, in one line and without the unit, which a file writes.
  private func comment(of property: String, in source: [String]) throws -> String {
    let place = try #require(source.firstIndex { $0.contains(" var \(property)") }, "\(property)")
    let lines = source[..<place].reversed().prefix { $0.hasPrefix("  /// ") }.reversed()
    let text = lines.map { $0.dropFirst(6) }.joined(separator: " ")
    return text.replacing(", in bytes", with: "").replacing(", in nanoseconds", with: "")
  }

  @Test("docs/language.md has a row for each; Scripts/pages writes them")
  func page() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/FlowServer/Configuration.swift")
    let source = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    let usual = Configuration()
    let rows = try SettingKey.allCases.map { key in
      let value = usual.text(of: key)
      // The default of memory depends on the machine.
      let shown =
        key == .memory
        ? "a quarter of the machine's, at most `512MiB`" : value.isEmpty ? "-" : "`\(value)`"
      return ["`\(key.rawValue)`", try comment(of: "\(key)", in: source), shown]
    }
    var page = try GeneratedPage("docs/language.md")
    try page.setRows(rows, below: "| Setting | Meaning | Default |")
    #expect(try page.isUpToDate(), "run Scripts/pages")
  }
}
