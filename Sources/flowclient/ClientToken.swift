/// A file that begins with a token; the rest of its lines is for servers.
enum ClientToken {
  /// Returns the first word of a file, skipping `#` lines.
  static func token(
    in path: String,
    _ surroundings: any Surroundings
  ) throws(ClientError) -> String {
    let text = String(decoding: try surroundings.contents(of: path), as: UTF8.self)
    // Removes the byte order mark that some editors write.
    let content = text.first == "\u{FEFF}" ? text.dropFirst() : text[...]
    for line in content.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      if let word = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first {
        return String(word)
      }
    }
    throw ClientError(.badConfiguration, "\(path) has no token")
  }
}
