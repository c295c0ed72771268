/// The files of a journal: one folder without folders in it.
///
/// The calls block; the journal makes them on its own threads. They may be called on any thread.
package protocol JournalFiles: AnyObject, Sendable {
  /// The names of all files.
  func list() throws(FileError) -> [String]

  /// Makes a new, empty file.
  func make(_ name: String) throws(FileError) -> any JournalFile

  /// Opens a file to read and write.
  func open(_ name: String) throws(FileError) -> any JournalFile

  /// Renames a file in one step; an open one stays open.
  func rename(_ name: String, to new: String) throws(FileError)

  func remove(_ name: String) throws(FileError)

  /// Makes new, renamed and removed names survive a loss of power.
  func syncDirectory() throws(FileError)

  /// The free bytes of the file system.
  func spaceLeft() throws(FileError) -> Int

  /// Takes the folder for this process; returns false if another process has it.
  ///
  /// The lock is released when the process ends, or by `unlock`.
  func lock() throws(FileError) -> Bool

  func unlock()

  /// What the process that has the lock wrote into it, for messages.
  func lockOwner() -> String
}

package protocol JournalFile: AnyObject, Sendable {
  func size() throws(FileError) -> Int

  /// The number of names of the file.
  func links() throws(FileError) -> Int

  /// Writes all bytes.
  func write(_ bytes: [UInt8], at offset: Int) throws(FileError)

  /// Makes the file's bytes and size survive a loss of power.
  func sync() throws(FileError)

  /// Reads up to `count` bytes, fewer only at the end of the file.
  ///
  /// `isDirect` reads the disk itself, not what the kernel remembers.
  func read(at offset: Int, count: Int, isDirect: Bool) throws(FileError) -> [UInt8]

  func truncate(to size: Int) throws(FileError)
}

/// A call that failed.
package struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  package var call: String
  package var file: String
  package var errno: Int32
  package var message: String
  /// Whether the disk, or the share of its owner, is full.
  package var isFull: Bool
  /// Whether there is no such file.
  package var isMissing: Bool { errno == 2 }

  /// Whether the same call may succeed later: the process or the machine is short of something.
  package var isPassing: Bool

  package init(
    _ call: String,
    _ file: String,
    errno: Int32,
    message: String,
    isFull: Bool = false,
    isPassing: Bool = false
  ) {
    self.call = call
    self.file = file
    self.errno = errno
    self.message = message
    self.isFull = isFull
    self.isPassing = isPassing
  }

  package var description: String { "\(call) \(file): \(message)" }
}
