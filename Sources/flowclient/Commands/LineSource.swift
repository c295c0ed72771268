/// The lines of standard input, or given values, in chunks as they come in.
struct LineSource {
  /// Some whole lines, each with its LF.
  @safe  // memory 8
  struct Chunk: @unchecked Sendable {  // whoever offers it waits until it is used up
    let octets: UnsafeRawBufferPointer
    /// Whether lines end with LF, before which a CR is dropped; if not, it is one value.
    var isLines = true

    /// The offset behind the last value; a chunk that is one value has one, even when empty.
    var end: Int { unsafe isLines ? octets.count : octets.count + 1 }

    /// Each of its values by itself.
    var pieces: [Chunk] {
      guard isLines else { return [self] }
      var pieces: [Chunk] = []
      var rest = unsafe octets[...]
      while let end = unsafe rest.firstIndex(of: 10) {
        unsafe pieces.append(Chunk(octets: UnsafeRawBufferPointer(rebasing: rest[...end])))
        unsafe rest = unsafe rest[(end + 1)...]
      }
      return pieces
    }
  }

  private static let longest = 1_048_576

  private let surroundings: any Surroundings
  /// `nil`: the lines of standard input.
  private var values: AnyIterator<[UInt8]>?
  private var valuesAreLines = false
  private let buffer: Buffer
  /// What of the buffer has been given out, and what is in it.
  private var given = 0
  private var filled = 0
  private var isAtEnd = false

  /// The memory behind the chunks, freed with the last copy of the source.
  @safe
  private final class Buffer {
    var octets = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)

    func grow() {
      let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
        byteCount: octets.count * 2,
        alignment: 16
      )
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(octets))
      unsafe octets.deallocate()
      unsafe octets = unsafe larger
    }

    deinit { unsafe octets.deallocate() }
  }

  init(values: [String], of surroundings: any Surroundings) {
    self.surroundings = surroundings
    let octets = values.map { Array($0.utf8) }
    self.values = octets.isEmpty ? nil : AnyIterator(octets.makeIterator())
    buffer = Buffer()
  }

  init(_ values: NumberedValues, of surroundings: any Surroundings) {
    self.surroundings = surroundings
    self.values = AnyIterator(values)
    valuesAreLines = values.areLines
    buffer = Buffer()
  }

  /// Gives what came in next, after waiting for it; the chunk before is no longer valid.
  mutating func next() throws(ClientError) -> Chunk? {
    values == nil ? try nextLines() : nextValue()
  }

  private mutating func nextValue() -> Chunk? {
    guard let value = values?.next() else { return nil }
    while unsafe value.count > buffer.octets.count { buffer.grow() }
    unsafe buffer.octets.copyBytes(from: value)
    return unsafe Chunk(
      octets: UnsafeRawBufferPointer(rebasing: buffer.octets[..<value.count]),
      isLines: valuesAreLines
    )
  }

  private mutating func nextLines() throws(ClientError) -> Chunk? {
    keepRest()
    while !isAtEnd {
      if unsafe filled == buffer.octets.count {
        guard filled < Self.longest * 2 else {
          throw ClientError(.badInput, "a line is longer than \(Self.longest) octets")
        }
        buffer.grow()
      }
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.octets[filled...])
      let count = unsafe try surroundings.readInput(into: room)
      let start = filled
      filled += count
      if count == 0 {
        isAtEnd = true
        return lastLine()
      }
      if let end = unsafe buffer.octets[start..<filled].lastIndex(of: 10) {
        return take(upTo: end + 1)
      }
    }
    return nil
  }

  /// A last line may lack its LF.
  private mutating func lastLine() -> Chunk? {
    guard filled > 0 else { return nil }
    if unsafe filled == buffer.octets.count { buffer.grow() }
    unsafe buffer.octets[filled] = 10
    filled += 1
    return take(upTo: filled)
  }

  private mutating func take(upTo end: Int) -> Chunk {
    given = end
    return unsafe Chunk(octets: UnsafeRawBufferPointer(rebasing: buffer.octets[..<end]))
  }

  private mutating func keepRest() {
    let rest = unsafe buffer.octets[given..<filled]
    unsafe buffer.octets.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
    filled = unsafe rest.count
    given = 0
  }
}
