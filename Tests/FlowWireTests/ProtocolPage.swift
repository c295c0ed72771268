import Foundation

/// protocol.md.
enum ProtocolPage {
  static var lines: [Substring] {
    get throws {
      let page = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../protocol.md")
      return try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    }
  }
}
