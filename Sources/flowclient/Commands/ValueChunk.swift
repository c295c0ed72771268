import Glibc

/// Some values that came in together, in the bytes that they came in.
@safe  // memory 8
struct ValueChunk: @unchecked Sendable {  // whoever offers it waits until it is used up
  /// How the bytes are cut into values.
  enum Cut {
    /// At each LF, which belongs to none; a CR before it belongs to the value.
    case lines
    /// They are one value.
    case whole
    /// Where each of the values ends.
    case ends([Int])
  }

  /// How far the values have been taken.
  struct Place {
    fileprivate var offset = 0
    fileprivate var number = 0
  }

  let bytes: UnsafeRawBufferPointer
  var cut = Cut.lines

  /// Whether all values before `place` are all there are.
  func isEnd(_ place: Place) -> Bool {
    switch cut {
    case .lines: unsafe place.offset >= bytes.count
    case .whole: place.number > 0
    case .ends(let ends): place.number >= ends.count
    }
  }

  /// The value at `place`, which is then behind it; there has to be one.
  func next(_ place: inout Place) -> UnsafeRawBufferPointer {
    let start = place.offset
    let end: Int
    switch cut {
    case .lines:
      end = lineEnd(from: start)
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

  private func lineEnd(from start: Int) -> Int {
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
    guard let base = rest.baseAddress, let found = unsafe memchr(base, 10, rest.count) else {
      return unsafe bytes.count
    }
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
