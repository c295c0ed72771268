/// Makes the files that become segments.
///
/// They are written once with zeros, so that a commit changes no size and no place on the disk.
struct SpareFiles {
  /// Small pieces, each synced: commits at the same time wait no longer than for one piece.
  private static let piece = 256 << 10
  private let files: any JournalFiles
  private let limits: JournalLimits

  init(_ files: any JournalFiles, _ limits: JournalLimits) {
    self.files = files
    self.limits = limits
  }

  /// Makes a file of zeros; stops between two pieces when `mayWrite` is false.
  func make(_ name: String, _ mayWrite: () -> Bool) throws(FileError) -> any JournalFile {
    let file = try files.make(name)
    for offset in stride(from: 0, to: limits.segmentSize, by: Self.piece) {
      let count = min(Self.piece, limits.segmentSize - offset)
      guard mayWrite() else { return file }
      try file.write([UInt8](repeating: 0, count: count), at: offset)
      guard mayWrite() else { return file }
      try file.sync()
    }
    guard mayWrite() else { return file }
    try files.syncDirectory()
    return file
  }

  /// Makes a spare file of a segment, or of a file of which nothing is known.
  ///
  /// The first block is zero before the file is used again. So a file with the name of a segment
  /// and an old header is always damage, and zeros are a segment that was never begun.
  ///
  /// - Returns: nil if the file was only removed: a backup shares it, or its size is wrong.
  func recycle(
    _ name: String,
    to spare: String,
    _ mayWrite: () -> Bool
  ) throws(FileError) -> (any JournalFile)? {
    let file = try files.open(name)
    guard try file.links() == 1, try file.size() == limits.segmentSize else {
      try files.remove(name)
      guard mayWrite() else { return nil }
      try files.syncDirectory()
      return nil
    }
    if name != spare { try files.rename(name, to: spare) }
    // The name comes first: a segment's name over zeros would look like damage.
    guard mayWrite() else { return nil }
    try files.syncDirectory()
    guard mayWrite() else { return nil }
    try file.write([UInt8](repeating: 0, count: SegmentHeader.size), at: 0)
    guard mayWrite() else { return nil }
    try file.sync()
    return file
  }

  /// Removes a file in steps: a large one at once would hold up commits.
  func remove(_ name: String) throws(FileError) {
    let file = try files.open(name)
    if try file.links() == 1 {
      for size in stride(from: limits.segmentSize - 4 << 20, to: 0, by: -4 << 20) {
        try file.truncate(to: size)
      }
    }
    try files.remove(name)
  }
}
