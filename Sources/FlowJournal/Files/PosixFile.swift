internal import Glibc
internal import Synchronization

/// An open file; it is closed with the last reference.
final class PosixFile: JournalFile {
  private let path: String
  private let descriptor: Int32
  /// A second descriptor that reads around the kernel's memory, opened when it is needed.
  private let direct = Mutex<Int32>(-1)
  /// What O_DIRECT wants places, sizes and addresses to be multiples of.
  private static let block = 4096

  init(_ path: String, _ flags: Int32) throws(FileError) {
    self.path = path
    descriptor = unsafe open(path, flags | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { throw FileError("open", path) }
    // Values are read one by one: reading ahead would hold up commits.
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM)
  }

  deinit {
    direct.withLock { if $0 >= 0 { close($0) } }
    if descriptor >= 0 { close(descriptor) }
  }

  private func status() throws(FileError) -> stat {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError("stat", path) }
    return status
  }

  func size() throws(FileError) -> Int { Int(try status().st_size) }

  func links() throws(FileError) -> Int { Int(clamping: try status().st_nlink) }

  func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe pwrite(
          descriptor,
          buffer.baseAddress?.advanced(by: done),
          buffer.count - done,
          off_t(offset + done)
        )
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw FileError("write", path) }
      done += count
    }
  }

  func sync() throws(FileError) {
    // No second try: after a failure the kernel may have dropped what was to be written.
    guard fdatasync(descriptor) == 0 else { throw FileError("sync", path) }
  }

  func truncate(to size: Int) throws(FileError) {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw FileError("truncate", path) }
  }

  func read(at offset: Int, count: Int, isDirect: Bool) throws(FileError) -> [UInt8] {
    if isDirect, let found = directDescriptor() {
      return try readDirectly(found, at: offset, count: count)
    }
    var failure: FileError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      let room = UnsafeMutableRawBufferPointer(buffer)
      do throws(FileError) {
        size = unsafe try fill(room, from: descriptor, at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Reads until the room is full or the file ends.
  private func fill(
    _ room: UnsafeMutableRawBufferPointer,
    from descriptor: Int32,
    at offset: Int
  ) throws(FileError) -> Int {
    var done = 0
    while done < room.count {
      let place = unsafe room.baseAddress?.advanced(by: done)
      let count = unsafe pread(descriptor, place, room.count - done, off_t(offset + done))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw FileError("read", path) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// -1 becomes nil: some file systems do not offer it.
  private func directDescriptor() -> Int32? {
    direct.withLock { known in
      // O_DIRECT is a macro that Swift does not see; a descriptor of its own keeps the flag apart.
      if known == -1 {
        known = unsafe open(path, O_RDONLY | O_CLOEXEC | DirectFlag.value)
        if known < 0 { known = -2 }
      }
      return known >= 0 ? known : nil
    }
  }

  private func readDirectly(
    _ descriptor: Int32,
    at offset: Int,
    count: Int
  ) throws(FileError) -> [UInt8] {
    let start = offset / Self.block * Self.block
    let end = (offset + count + Self.block - 1) / Self.block * Self.block
    let room = UnsafeMutableRawBufferPointer.allocate(
      byteCount: end - start,
      alignment: Self.block
    )
    defer { unsafe room.deallocate() }
    let size = unsafe try fill(room, from: descriptor, at: start)
    guard size > offset - start else { return [] }
    let last = min(size, offset - start + count)
    return unsafe Array(room[(offset - start)..<last])
  }
}

private enum DirectFlag {
  #if arch(arm64) || arch(arm)
  static let value: Int32 = 0o200000
  #else
  static let value: Int32 = 0o40000
  #endif
}

/// A file that one process at a time can lock; it holds that process's number.
final class LockFile: Sendable {
  private let descriptor = Mutex<Int32>(-1)

  func lock(_ path: String) throws(FileError) -> Bool {
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
    guard opened >= 0 else { throw FileError("open", path) }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let isTaken = errno == EWOULDBLOCK
      let failure = FileError("lock", path)
      close(opened)
      if isTaken { return false }
      throw failure
    }
    let text = Array("\(getpid())\n".utf8)
    ftruncate(opened, 0)
    _ = unsafe text.withUnsafeBytes { unsafe pwrite(opened, $0.baseAddress, $0.count, 0) }
    descriptor.withLock { $0 = opened }
    return true
  }

  func unlock() {
    descriptor.withLock { taken in
      if taken >= 0 { close(taken) }
      taken = -1
    }
  }
}
