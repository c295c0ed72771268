import Glibc

extension SystemPlatform {
  package func contents(
    ofFile path: String,
    mayWait: Bool
  ) throws(TransportError) -> [UInt8] {
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY
    let descriptor = unsafe open(path, mayWait ? flags : flags | O_NONBLOCK)
    guard descriptor >= 0 else { throw TransportError("read \(path)", errno) }
    defer { Glibc.close(descriptor) }
    if !mayWait {
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else {
        throw TransportError("read \(path)", errno)
      }
      guard status.st_mode & S_IFMT != S_IFIFO else {
        throw TransportError(
          call: "read \(path)",
          errno: ESPIPE,
          message: "it is a pipe, which can be read once only"
        )
      }
    }
    var bytes: [UInt8] = []
    var buffer: [UInt8] = Array(repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw TransportError("read \(path)", errno) }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= WholeFile.mostBytes else { throw TransportError("read \(path)", EFBIG) }
    }
  }

  package func isReadableByOthers(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o044 != 0
  }

  package func replaceFile(_ path: String, with bytes: [UInt8]) throws(TransportError) {
    if isStream(path) { return try writeThrough(path, bytes) }
    let (draft, descriptor) = try makeDraft(of: path)
    let isWritten = Self.write(bytes[...], to: descriptor)
    guard Glibc.close(descriptor) == 0, isWritten, unsafe rename(draft, path) == 0 else {
      let failure = errno
      unsafe unlink(draft)
      throw TransportError("write \(path)", failure)
    }
  }

  /// Whether `path` leads to a device or a pipe, or is one of the process's own files, as `/dev/stdout` is.
  private func isStream(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    if status.st_mode & S_IFMT != S_IFREG { return true }
    var target: [UInt8] = Array(repeating: 0, count: Int(PATH_MAX))
    let length = unsafe readlink(path, &target, target.count)
    let names = [path, String(decoding: target.prefix(max(0, length)), as: UTF8.self)]
    return names.contains { $0.hasPrefix("/proc/self/fd/") || $0.hasPrefix("/dev/fd/") }
  }

  /// Writes into what is there; a pipe has to have a reader.
  private func writeThrough(_ path: String, _ bytes: [UInt8]) throws(TransportError) {
    let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TransportError("write \(path)", errno) }
    let isWritten = Self.write(bytes[...], to: descriptor)
    let failure = errno
    Glibc.close(descriptor)
    guard isWritten else { throw TransportError("write \(path)", failure) }
  }

  /// Makes a new file beside `path`, with its rights; what is there already, a link above all, is
  /// left alone.
  private func makeDraft(
    of path: String
  ) throws(TransportError) -> (name: String, descriptor: Int32) {
    var status = stat()
    let mode = unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
    var draft = ""
    for _ in 0..<16 {
      draft = "\(path).\(UInt32(truncatingIfNeeded: random()))"
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
      let descriptor = unsafe open(draft, flags, mode)
      if descriptor >= 0 { return (draft, descriptor) }
      if errno != EEXIST, errno != EINTR { break }
    }
    throw TransportError("write \(draft)", errno)
  }

  /// Writes all of `bytes`, waiting for the reader; returns whether it succeeded, else `errno` has
  /// the reason.
  package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
    var rest = unsafe bytes[...]
    while unsafe !rest.isEmpty {
      let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
      let count = unsafe Glibc.write(descriptor, part.baseAddress, part.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, waitForRoom(in: descriptor) { continue }
      guard count > 0 else { return false }
      unsafe rest = unsafe rest.dropFirst(count)
    }
    return true
  }

  package static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe write($0, to: descriptor) }
  }

  /// Another program that has the same file or pipe may have made it one that does not wait.
  private static func waitForRoom(in descriptor: Int32) -> Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return unsafe poll(&state, 1, -1) > 0 || errno == EINTR
  }
}

/// Files of which all is read at once: definitions, tokens, tests.
package enum WholeFile {
  /// More than anybody writes; a device would have no end.
  package static let mostBytes = 64 << 20
}
