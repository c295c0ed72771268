import Glibc

/// Files of text, by the calls of the kernel.
enum Files {
  /// The whole of a file, which must be UTF-8.
  static func read(_ path: String) throws(StartError) -> String {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StartError(.cannotRead, "cannot read \(path): \(reason)") }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var buffer: [UInt8] = Array(repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw StartError(.cannotRead, "cannot read \(path): \(reason)") }
      if count == 0 { break }
      text += buffer[..<count]
    }
    guard let string = String(validating: text, as: UTF8.self) else {
      throw StartError(.badConfiguration, "\(path) is not UTF-8 text")
    }
    return string
  }

  /// Whether users other than its owner can read a file.
  static func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o044 != 0
  }

  /// Puts `text` in the place of the file in one step: a reader finds the old or all of the new.
  static func replace(_ path: String, with text: String) throws(StartError) {
    let (draft, descriptor) = try makeDraft(of: path)
    var written = 0
    let octets = Array(text.utf8)
    while written < octets.count {
      let count = unsafe octets[written...].withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { break }
      written += count
    }
    guard close(descriptor) == 0, written == octets.count, unsafe rename(draft, path) == 0 else {
      let failure = reason
      unsafe unlink(draft)
      throw StartError(.cannotWrite, "cannot write \(path): \(failure)")
    }
  }

  /// Makes a new file beside `path`; what is there already, a link above all, is left alone.
  private static func makeDraft(
    of path: String
  ) throws(StartError) -> (name: String, descriptor: Int32) {
    var draft = ""
    for _ in 0..<16 {
      draft = "\(path).\(UInt32.random(in: 0...(.max)))"
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = unsafe open(draft, flags, 0o644)
      if descriptor >= 0 { return (draft, descriptor) }
      if errno != EEXIST, errno != EINTR { break }
    }
    throw StartError(.cannotWrite, "cannot write \(draft): \(reason)")
  }

  private static var reason: String { unsafe String(cString: strerror(errno)) }
}
