import FlowFiles
import Glibc

/// Files of text, by the calls of the kernel.
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
  static func replace(_ link: String, with text: String) throws(ClientError) {
    let path = target(of: link)
    var status = stat()
    let mode = unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
    let draft = "\(path).\(getpid())"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw unwritable(draft) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    guard close(descriptor) == 0, rest.isEmpty, unsafe rename(draft, path) == 0 else {
      let error = unwritable(path)
      unsafe unlink(draft)
      throw error
    }
  }

  /// What a path of symbolic links leads to.
  private static func target(of path: String) -> String {
    guard let real = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(real) }
    return unsafe String(cString: real)
  }

  private static func unwritable(_ path: String) -> ClientError {
    ClientError(.cannotWrite, unsafe "cannot write \(path): \(String(cString: strerror(errno)))")
  }

  /// A file with all that it includes.
  static func script(
    _ path: String,
    _ surroundings: any Surroundings
  ) throws(ClientError) -> Script {
    try Script([path]) { path throws(ClientError) in try read(path, surroundings) }
  }
}
