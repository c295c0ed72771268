import Foundation

/// The lines of the reference page below a heading.
private func pageLines(below heading: String) throws -> [String] {
  let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let page = try String(contentsOf: root.appending(path: "docs/language.md"), encoding: .utf8)
  return Array(page.components(separatedBy: "\n").drop { $0 != heading }.dropFirst())
}

/// The lines of the reference page below a heading, up to the next one.
private func referenceLines(below heading: String) throws -> [String] {
  try Array(pageLines(below: heading).prefix { !$0.hasPrefix("#") })
}

/// The rows of the first table below a heading of the reference page.
func referenceRows(below heading: String, beginning start: String = "| `") throws -> [String] {
  try referenceLines(below: heading).filter { $0.hasPrefix(start) }
}

/// The blocks of code in a section of the reference page and those below it.
func referenceBlocks(in heading: String) throws -> [[String]] {
  let section = try pageLines(below: heading).prefix { !$0.hasPrefix("## ") }
  let parts = section.split(separator: "```", omittingEmptySubsequences: false)
  return parts.enumerated().filter { $0.offset % 2 == 1 }.map { Array($0.element) }
}

/// The lines of the first block of code below a heading of the reference page.
func referenceBlock(below heading: String) throws -> [String] {
  Array(try referenceLines(below: heading).drop { $0 != "```" }.dropFirst().prefix { $0 != "```" })
}
