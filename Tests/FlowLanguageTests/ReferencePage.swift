import Foundation

/// The lines of the reference page below a heading, up to the next one.
private func referenceLines(below heading: String) throws -> [String] {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let page = try String(contentsOf: root.appending(path: "docs/language.md"), encoding: .utf8)
  let lines = page.components(separatedBy: "\n").drop { $0 != heading }.dropFirst()
  return Array(lines.prefix { !$0.hasPrefix("#") })
}

/// The rows of the first table below a heading of the reference page.
func referenceRows(below heading: String) throws -> [String] {
  try referenceLines(below: heading).filter { $0.hasPrefix("| `") }
}

/// The lines of the first block of code below a heading of the reference page.
func referenceBlock(below heading: String) throws -> [String] {
  Array(try referenceLines(below: heading).drop { $0 != "```" }.dropFirst().prefix { $0 != "```" })
}
