import Glibc

/// A file that begins with a token; what stands behind it in the line is for servers.
enum TokenFile {
  /// The first word of a file, `#` lines left out.
  static func token(in path: String) throws(ClientError) -> String {
    for line in try read(path).split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      if let word = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).first {
        return String(word)
      }
    }
    throw ClientError(.badConfiguration, "\(path) has no token")
  }

  private static func read(_ path: String) throws(ClientError) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { return String(decoding: text, as: UTF8.self) }
      text += buffer[..<count]
    }
  }

  private static func failure(_ path: String) -> ClientError {
    ClientError(.cannotRead, unsafe "cannot read \(path): \(String(cString: strerror(errno)))")
  }
}
