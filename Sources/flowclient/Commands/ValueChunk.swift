import FlowLanguage
import Glibc

/// Values that were read together, in the bytes that were read.
@safe  // memory 8
struct ValueChunk: @unchecked Sendable {  // whoever offers it waits until it is used up
  /// The way in which the bytes are split into values.
  enum Cut {
    /// At each such byte, which belongs to none.
    case separated(by: UInt8)
    /// They are one value.
    case whole
    /// At these ends of values.
    case ends([Int])

    /// At each LF; a CR before it belongs to the value.
    static var lines: Cut { .separated(by: 10) }
  }

  /// A position in the chunk.
  struct Place {
    fileprivate var offset = 0
    fileprivate var number = 0
  }

  let bytes: UnsafeRawBufferPointer
  var cut = Cut.lines

  /// Whether all values before `place` are all there are.
  func isEnd(_ place: Place) -> Bool {
    switch cut {
    case .separated: unsafe place.offset >= bytes.count
    case .whole: place.number > 0
    case .ends(let ends): place.number >= ends.count
    }
  }

  /// The value at `place`, which is then behind it; there has to be one.
  func next(_ place: inout Place) -> UnsafeRawBufferPointer {
    let start = place.offset
    let end: Int
    switch cut {
    case .separated(let separator):
      end = self.end(from: start, separator)
      place.offset = end + 1
    case .whole:
      end = unsafe bytes.count
    case .ends(let ends):
      end = ends[place.number]
      place.offset = end
    }
    place.number += 1
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
  }

  /// The chunk without a byte order mark before its first value, if that is JSON; blocks stay as they are.
  var withoutMark: ValueChunk {
    if case .ends = cut { return self }
    guard unsafe !bytes.isEmpty else { return self }
    var place = Place()
    let length = unsafe JSONText.markLength(of: next(&place))
    return unsafe ValueChunk(bytes: UnsafeRawBufferPointer(rebasing: bytes[length...]), cut: cut)
  }

  private func end(from start: Int, _ separator: UInt8) -> Int {
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
    guard let base = rest.baseAddress,
      let found = unsafe memchr(base, Int32(separator), rest.count)
    else { return unsafe bytes.count }
    return unsafe start + (UnsafeRawPointer(found) - base)
  }

  /// Each of its values by itself.
  var pieces: [ValueChunk] {
    var pieces: [ValueChunk] = []
    var place = Place()
    while !isEnd(place) { unsafe pieces.append(ValueChunk(bytes: next(&place), cut: .whole)) }
    return pieces
  }
}
