/// The lines of standard input, or given values, in chunks as they come in.
struct LineSource {
  /// Some whole lines, each with its LF.
  @safe  // memory 8
  struct Chunk: @unchecked Sendable {  // whoever offers it waits until it is used up
    let bytes: UnsafeRawBufferPointer
    /// Whether lines end with LF, before which a CR is dropped; if not, it is one value.
    var isLines = true

    /// The offset behind the last value; a chunk that is one value has one, even when empty.
    var end: Int { unsafe isLines ? bytes.count : bytes.count + 1 }

    /// Each of its values by itself.
    var pieces: [Chunk] {
      guard isLines else { return [self] }
      var pieces: [Chunk] = []
      var rest = unsafe bytes[...]
      while let end = unsafe rest.firstIndex(of: 10) {
        unsafe pieces.append(Chunk(bytes: UnsafeRawBufferPointer(rebasing: rest[...end])))
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
    var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)

    func grow() {
      let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
        byteCount: bytes.count * 2,
        alignment: 16
      )
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(bytes))
      unsafe bytes.deallocate()
      unsafe bytes = unsafe larger
    }

    deinit { unsafe bytes.deallocate() }
  }

  init(values: [String], of surroundings: any Surroundings) {
    self.surroundings = surroundings
    let bytes = values.map { Array($0.utf8) }
    self.values = bytes.isEmpty ? nil : AnyIterator(bytes.makeIterator())
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
    while unsafe value.count > buffer.bytes.count { buffer.grow() }
    unsafe buffer.bytes.copyBytes(from: value)
    return unsafe Chunk(
      bytes: UnsafeRawBufferPointer(rebasing: buffer.bytes[..<value.count]),
      isLines: valuesAreLines
    )
  }

  private mutating func nextLines() throws(ClientError) -> Chunk? {
    keepRest()
    while !isAtEnd {
      if unsafe filled == buffer.bytes.count {
        guard filled < Self.longest * 2 else {
          throw ClientError(.badInput, "a line is longer than \(Self.longest) bytes")
        }
        buffer.grow()
      }
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[filled...])
      let count = unsafe try surroundings.readInput(into: room)
      let start = filled
      filled += count
      if count == 0 {
        isAtEnd = true
        return lastLine()
      }
      if let end = unsafe buffer.bytes[start..<filled].lastIndex(of: 10) {
        return chunk(upTo: end + 1)
      }
    }
    return nil
  }

  /// A last line may lack its LF.
  private mutating func lastLine() -> Chunk? {
    guard filled > 0 else { return nil }
    if unsafe filled == buffer.bytes.count { buffer.grow() }
    unsafe buffer.bytes[filled] = 10
    filled += 1
    return chunk(upTo: filled)
  }

  private mutating func chunk(upTo end: Int) -> Chunk {
    given = end
    return unsafe Chunk(bytes: UnsafeRawBufferPointer(rebasing: buffer.bytes[..<end]))
  }

  private mutating func keepRest() {
    let rest = unsafe buffer.bytes[given..<filled]
    unsafe buffer.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
    filled = unsafe rest.count
    given = 0
  }
}
