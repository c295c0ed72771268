internal import CChecksum

/// CRC32C.
package enum Checksum {
  /// Continues `checksum` with `bytes`; the checksum of no bytes is 0.
  package static func extend(_ checksum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    unsafe flow_crc32c(checksum, bytes.baseAddress, bytes.count)
  }

  /// The same without the machine's instruction.
  package static func extendByTable(
    _ checksum: UInt32,
    _ bytes: UnsafeRawBufferPointer
  ) -> UInt32 {
    unsafe flow_crc32c_by_table(checksum, bytes.baseAddress, bytes.count)
  }
}

/// The random number of one use of a segment's file.
///
/// Each checksum in a segment begins with the salt. Bytes that an earlier use of the file left
/// behind, or that a disk wrote into the wrong file, do not match.
package struct Salt: Equatable, Sendable {
  package let number: UInt64
  /// The checksum of the salt's eight bytes, with which the others begin.
  private let seed: UInt32

  package init(_ number: UInt64) {
    self.number = number
    seed = unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Checksum.extend(0, $0) }
  }

  package func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    unsafe Checksum.extend(seed, bytes)
  }
}
