/// Cuts what a server sends into lines, by the sentences of protocol.md and nothing else.
struct LineReader {
  enum Item: Equatable {
    case line(String)
    /// `: ID LENGTH` and so many bytes behind it.
    case counted(id: String, text: String)
  }

  private var bytes: [UInt8] = []

  /// What has come and is no whole line yet.
  var rest: [UInt8] { bytes }

  mutating func take(_ new: ArraySlice<UInt8>) -> [Item] {
    bytes += new
    var items: [Item] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: 10) {
      let line = String(decoding: bytes[start..<end], as: UTF8.self)
      if line.hasPrefix(": ") {
        let words = line.split(separator: " ")
        guard words.count == 3, let count = Int(words[2]), bytes.count > end + 1 + count else {
          break
        }
        let text = String(decoding: bytes[end + 1..<end + 1 + count], as: UTF8.self)
        items.append(.counted(id: String(words[1]), text: text))
        start = end + 1 + count + 1
      } else {
        items.append(.line(line))
        start = end + 1
      }
    }
    bytes.removeFirst(start)
    return items
  }
}
