/// Bytes that never change, with the padding of a `PaddedText`.
@safe  // memory 8
struct PaddedBytes: @unchecked Sendable {  // nobody writes to the storage after `init`
  private let storage: ManagedBuffer<Header, UInt8>

  private struct Header {
    let count: Int
    var isASCII = false
  }

  /// Copies `bytes`.
  init(_ bytes: UnsafeRawBufferPointer) {
    storage = .create(minimumCapacity: bytes.count + PaddedText.padding) { _ in
      Header(count: bytes.count)
    }
    unsafe storage.withUnsafeMutablePointers { header, elements in
      unsafe header.pointee.isASCII = PaddedText(copying: bytes, to: elements).isASCII
    }
  }

  /// How many there are.
  var count: Int { withText { $0.count } }

  /// Gives them as a text.
  @inline(__always)
  func withText<R>(_ body: (PaddedText) -> R) -> R {
    unsafe storage.withUnsafeMutablePointers { header, elements in
      unsafe body(
        PaddedText(
          start: UnsafePointer(elements),
          count: header.pointee.count,
          isASCII: header.pointee.isASCII
        )
      )
    }
  }

  /// Gives the bytes.
  @inline(__always)
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    withText { unsafe body($0.bytes) }
  }
}

extension PaddedBytes: Equatable {
  static func == (lhs: PaddedBytes, rhs: PaddedBytes) -> Bool {
    guard lhs.storage !== rhs.storage else { return true }
    return unsafe lhs.withBytes { a in
      unsafe rhs.withBytes { b in unsafe a.count == b.count && commonPrefix(a, b) == a.count }
    }
  }
}
