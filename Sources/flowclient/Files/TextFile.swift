import FlowFiles
import FlowTransport
import Glibc

/// Files of text.
enum TextFile {
  /// The whole of a file, which must be UTF-8; `-` is standard input.
  static func read(
    _ path: String,
    _ surroundings: any Surroundings
  ) throws(ClientError) -> String {
    let bytes = try surroundings.contents(of: path)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ClientError(.badInput, "\(path) is not UTF-8 text")
    }
    return text
  }

  /// Puts `text` in the place of the file in one step; a symbolic link stays one.
  static func replace(
    _ path: String,
    with text: String,
    _ surroundings: any Surroundings
  ) throws(ClientError) {
    do throws(TransportError) {
      try surroundings.platform.replaceFile(target(of: path), with: Array(text.utf8))
    } catch {
      throw ClientError(.cannotWrite, "cannot write \(path): \(error.message)")
    }
  }

  /// Returns the path without symbolic links.
  private static func target(of path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  /// A file with all that it includes.
  static func script(
    _ path: String,
    _ surroundings: any Surroundings
  ) throws(ClientError) -> Script {
    try Script([path]) { path throws(ClientError) in try read(path, surroundings) }
  }
}
