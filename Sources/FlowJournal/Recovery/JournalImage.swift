/// A journal as it lies on the disk, for reading only.
package protocol JournalImage {
  /// The names and sizes of all files.
  func files() throws(JournalError) -> [(name: String, size: Int)]

  /// Reads up to `count` bytes; what cannot be read is missing or zero.
  ///
  /// - Returns: the bytes, and the ranges that the disk could not read.
  func read(_ name: String, at offset: Int, count: Int) -> (bytes: [UInt8], failed: [Range<Int>])

  /// Why something could not be read that is not lost: the process is short of descriptors.
  var failure: JournalError? { get }
}

/// The files of a folder, read from the disk itself.
final class FilesImage: JournalImage {
  private let directory: any JournalFiles
  private(set) var failure: JournalError?

  init(directory: any JournalFiles) { self.directory = directory }

  func files() throws(JournalError) -> [(name: String, size: Int)] {
    do throws(FileError) {
      var found: [(name: String, size: Int)] = []
      for name in try directory.list()
      where Segment.number(ofFile: name) != nil || Segment.spareNumber(ofFile: name) != nil {
        found.append((name, try directory.open(name).size()))
      }
      return found
    } catch {
      throw JournalError(.file, error.description)
    }
  }

  func read(_ name: String, at offset: Int, count: Int) -> (bytes: [UInt8], failed: [Range<Int>]) {
    do throws(FileError) {
      return FileImage(file: try directory.open(name)).read(at: offset, count: count)
    } catch {
      failure = JournalError(.file, error.description)
      return ([], [])
    }
  }
}

/// One file, read from the disk itself as far as that is possible.
struct FileImage {
  let file: any JournalFile
  /// The size of a piece that is left out if the disk cannot read it.
  private static let piece = 4096

  func read(at offset: Int = 0, count: Int) -> (bytes: [UInt8], failed: [Range<Int>]) {
    if let bytes = try? file.read(at: offset, count: count, isDirect: true) { return (bytes, []) }
    var bytes: [UInt8] = []
    var failed: [Range<Int>] = []
    for start in stride(from: offset, to: offset + count, by: Self.piece) {
      let size = min(Self.piece, offset + count - start)
      if let part = try? file.read(at: start, count: size, isDirect: true) {
        bytes += part
        if part.count < size { break }
      } else {
        failed.append(start..<start + size)
        bytes += [UInt8](repeating: 0, count: size)
      }
    }
    return (bytes, failed)
  }
}
