/// A file that begins with a token; what stands behind it in the line is for servers.
enum ClientToken {
  /// The first word of a file, `#` lines left out.
  static func token(
    in path: String,
    _ surroundings: any Surroundings
  ) throws(ClientError) -> String {
    let text = String(decoding: try surroundings.contents(of: path), as: UTF8.self)
    // Some editors begin a file with a mark of its encoding.
    let content = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
    for line in content.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      if let word = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first {
        return String(word)
      }
    }
    throw ClientError(.badConfiguration, "\(path) has no token")
  }
}
