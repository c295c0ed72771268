internal import Glibc
internal import Synchronization

/// A folder of the file system.
package final class PosixFiles: JournalFiles {
  private let path: String
  /// Holds the lock; -1 if it is not taken.
  private let lockFile = LockFile()

  private let folder = Mutex<Int32>(-1)

  package init(_ path: String) { self.path = path }

  deinit { folder.withLock { if $0 >= 0 { close($0) } } }

  private func full(_ name: String) -> String { "\(path)/\(name)" }

  package func list() throws(FileError) -> [String] {
    guard let folder = unsafe opendir(path) else { throw FileError("open", path) }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  package func make(_ name: String) throws(FileError) -> any JournalFile {
    try PosixFile(full(name), O_RDWR | O_CREAT | O_EXCL)
  }

  package func open(_ name: String) throws(FileError) -> any JournalFile {
    try PosixFile(full(name), O_RDWR)
  }

  package func rename(_ name: String, to new: String) throws(FileError) {
    guard unsafe Glibc.rename(full(name), full(new)) == 0 else {
      throw FileError("rename", full(name))
    }
  }

  package func remove(_ name: String) throws(FileError) {
    guard unsafe unlink(full(name)) == 0 else { throw FileError("remove", full(name)) }
  }

  package func syncDirectory() throws(FileError) {
    // The descriptor stays open: a process without free ones can still begin a segment.
    let descriptor = folder.withLock { known in
      if known < 0 { known = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      return known
    }
    guard descriptor >= 0 else { throw FileError("open", path) }
    guard fsync(descriptor) == 0 else { throw FileError("sync", path) }
  }

  package func spaceLeft() throws(FileError) -> Int {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { throw FileError("statvfs", path) }
    return Int(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }

  package func lock() throws(FileError) -> Bool { try lockFile.lock(full("lock")) }

  package func unlock() { lockFile.unlock() }

  package func lockOwner() -> String {
    guard let file = try? PosixFile(full("lock"), O_RDONLY),
      let bytes = try? file.read(at: 0, count: 32, isDirect: false)
    else { return "another process" }
    return "pid \(String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self))"
  }
}

extension FileError {
  /// The call that has just failed, by `errno`.
  init(_ call: String, _ file: String) {
    let number = Glibc.errno
    let text = unsafe String(cString: strerror(number))
    self.init(
      call,
      file,
      errno: number,
      message: text,
      isFull: number == ENOSPC || number == EDQUOT,
      isPassing: number == EMFILE || number == ENFILE || number == ENOMEM
    )
  }
}
