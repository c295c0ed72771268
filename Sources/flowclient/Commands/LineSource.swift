/// Lines or blocks of standard input or of a file, or given values, in chunks as they come in.
struct LineSource {
  /// The way in which input is split into values.
  enum Cut {
    /// At each such byte; the last value may lack it.
    case separated(by: UInt8)
    /// Into blocks of this many bytes; the last one may be shorter.
    case blocks(Int)
    /// All of it is one value.
    case whole

    static var lines: Cut { .separated(by: 10) }
  }

  private static let usualLimit = 1_048_576

  private enum Input {
    case standard(any Surroundings)
    case file(FileInput)
    case none
  }

  private let input: Input
  private let cut: Cut
  /// The most bytes of a value.
  private let limit: Int
  /// The prompt for each line, if a person types at a terminal.
  private let prompt: String?
  /// `nil`: what is read.
  private var values: AnyIterator<[UInt8]>?
  private var valuesAreLines = false
  private let buffer: Buffer
  /// The number of bytes returned as chunks, and of all bytes in the buffer.
  private var given = 0
  private var filled = 0
  private var hasBegun = false
  private var isAtEnd = false

  /// The memory behind the chunks, freed with the last copy of the source.
  @safe  // memory 8
  private final class Buffer {
    var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 16)

    func grow(to count: Int) {
      guard unsafe count > bytes.count else { return }
      let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(bytes.count * 2, count),
        alignment: 16
      )
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(bytes))
      unsafe bytes.deallocate()
      unsafe bytes = unsafe larger
    }

    deinit { unsafe bytes.deallocate() }
  }

  /// Standard input, or `file`, where a line has at most `limit` bytes.
  init(
    _ cut: Cut = .lines,
    of surroundings: any Surroundings,
    file: FileInput? = nil,
    limit: Int = usualLimit,
    prompt: String? = nil
  ) {
    self.cut = cut
    self.limit = limit
    self.prompt = prompt
    input = file.map(Input.file) ?? .standard(surroundings)
    buffer = Buffer()
    if case .blocks(let size) = cut { buffer.grow(to: size) }
  }

  init(values: [[UInt8]]) {
    self.init(AnyIterator(values.makeIterator()), areLines: false)
  }

  init(_ values: NumberedValues) {
    self.init(AnyIterator(values), areLines: values.areLines)
  }

  private init(_ values: AnyIterator<[UInt8]>, areLines: Bool) {
    input = .none
    cut = .lines
    limit = Self.usualLimit
    prompt = nil
    self.values = values
    valuesAreLines = areLines
    buffer = Buffer()
  }

  /// Waits for the next chunk and returns it; the previous chunk is no longer valid.
  ///
  /// A byte order mark before JSON is left out.
  mutating func next() throws(ClientError) -> ValueChunk? {
    if values != nil { return nextValue()?.withoutMark }
    let chunk =
      switch cut {
      case .separated(let separator): try nextSeparated(by: separator)
      case .blocks(let size): try nextBlocks(size)
      case .whole: try nextWhole()
      }
    defer { hasBegun = true }
    return hasBegun ? chunk : chunk?.withoutMark
  }

  private mutating func nextValue() -> ValueChunk? {
    guard let value = values?.next() else { return nil }
    buffer.grow(to: value.count)
    unsafe buffer.bytes.copyBytes(from: value)
    return unsafe ValueChunk(
      bytes: UnsafeRawBufferPointer(rebasing: buffer.bytes[..<value.count]),
      cut: valuesAreLines ? .lines : .whole
    )
  }

  // MARK: Lines, and what ends otherwise

  private mutating func nextSeparated(
    by separator: UInt8
  ) throws(ClientError) -> ValueChunk? {
    keepRest()
    while !isAtEnd {
      if unsafe filled == buffer.bytes.count {
        let what = separator == 10 ? "a line" : "a value"
        guard filled <= limit else {
          throw tooLong(
            what,
            "--file FILE sends a file as one value, --chunks SIZE cuts the input at a size"
          )
        }
        unsafe buffer.grow(to: buffer.bytes.count + 1)
      }
      let start = filled
      guard try readMore() else { return last(separator) }
      if let end = unsafe buffer.bytes[start..<filled].lastIndex(of: separator) {
        return chunk(upTo: end + 1, .separated(by: separator))
      }
    }
    return nil
  }

  private mutating func last(_ separator: UInt8) -> ValueChunk? {
    guard filled > 0 else { return nil }
    buffer.grow(to: filled + 1)
    unsafe buffer.bytes[filled] = separator
    filled += 1
    return chunk(upTo: filled, .separated(by: separator))
  }

  private func tooLong(_ what: String, _ advice: String) -> ClientError {
    ClientError(.badInput, "\(what) is longer than the limit of \(limit) bytes", advice: advice)
  }

  // MARK: All of it

  private mutating func nextWhole() throws(ClientError) -> ValueChunk? {
    guard !isAtEnd else { return nil }
    repeat {
      guard filled <= limit else {
        throw tooLong("standard input", "--chunks SIZE cuts it into values")
      }
      buffer.grow(to: filled + 1)
    } while try readMore()
    return chunk(upTo: filled, .whole)
  }

  // MARK: Blocks

  private mutating func nextBlocks(_ size: Int) throws(ClientError) -> ValueChunk? {
    keepRest()
    while !isAtEnd, filled < size { _ = try readMore() }
    guard filled > 0 else { return nil }
    let count = filled < size ? filled : filled - filled % size
    let ends = Array(stride(from: min(size, count), through: count, by: size))
    return chunk(upTo: count, .ends(ends))
  }

  // MARK: The buffer

  /// - Returns: whether there was more.
  private mutating func readMore() throws(ClientError) -> Bool {
    let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[filled...])
    let count =
      switch input {
      case .standard(let surroundings): unsafe try read(surroundings, into: room)
      case .file(let file): unsafe try file.read(into: room)
      case .none: 0
      }
    filled += count
    if count == 0 { isAtEnd = true }
    return count > 0
  }

  private func read(
    _ surroundings: any Surroundings,
    into room: UnsafeMutableRawBufferPointer
  ) throws(ClientError) -> Int {
    if let prompt { surroundings.writeError(prompt) }
    let count = unsafe try surroundings.readInput(into: room)
    // Whatever comes next begins a line of its own.
    if prompt != nil, count == 0 { surroundings.writeError("\n") }
    return count
  }

  private mutating func chunk(upTo end: Int, _ cut: ValueChunk.Cut) -> ValueChunk {
    given = end
    return unsafe ValueChunk(
      bytes: UnsafeRawBufferPointer(rebasing: buffer.bytes[..<end]),
      cut: cut
    )
  }

  private mutating func keepRest() {
    let rest = unsafe buffer.bytes[given..<filled]
    unsafe buffer.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest))
    filled = unsafe rest.count
    given = 0
  }
}
