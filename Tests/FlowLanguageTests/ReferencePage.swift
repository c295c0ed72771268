import Foundation

/// The rows of the first table below a heading of the reference page.
func referenceRows(below heading: String) throws -> [String] {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let page = try String(contentsOf: root.appending(path: "docs/language.md"), encoding: .utf8)
  let lines = page.components(separatedBy: "\n").drop { $0 != heading }.dropFirst()
  return lines.prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("| `") }
}
