import Glibc

/// Splits the bytes from NATS into frames.
///
/// Pass the unread bytes; the next call must repeat those not consumed, followed by new ones. A
/// frame is consumed only when complete.
package struct NATSDecoder: Sendable {
  /// The longest line; the longest of NATS is INFO, which lists the servers of a cluster.
  package static let longestLine = 256 << 10
  /// The longest message, which is NATS's own upper limit.
  package static let longestMessage = 64 << 20

  /// The number of bytes that must be there before another try.
  private var awaited = 0

  package init() {}

  /// Reads the next frame from `buffer[offset...]` and moves `offset` past it; nil while it is
  /// incomplete.
  ///
  /// After an error the decoder is unusable: the next frame cannot be found.
  package mutating func next(
    _ buffer: UnsafeRawBufferPointer,
    _ offset: inout Int
  ) throws(NATSError) -> NATSFrame? {
    let start = offset
    let count = buffer.count - start
    guard count > 0, count >= awaited, let base = buffer.baseAddress else { return nil }
    guard let found = unsafe memchr(base + start, Int32(UInt8.lineFeed), count) else {
      guard count <= Self.longestLine else {
        throw NATSError(.tooLong, "a line of NATS has more than \(Self.longestLine) bytes")
      }
      awaited = count + 1
      return nil
    }
    let lineFeed = unsafe UnsafeRawPointer(found) - base
    var end = lineFeed
    if end > start, unsafe buffer[end - 1] == .carriageReturn { end -= 1 }
    let fields = unsafe Fields(buffer, start..<end)
    let verb = unsafe part(buffer, fields.first)
    let hasHeaders = unsafe isVerb(verb, "hmsg")
    if unsafe hasHeaders || isVerb(verb, "msg") {
      let (message, last) = try unsafe Self.message(fields, buffer, lineFeed + 1, hasHeaders)
      awaited = last - start
      guard buffer.count >= last else { return nil }
      guard unsafe isEqual(part(buffer, message.payload.upperBound..<last), "\r\n") else {
        throw NATSError(.malformed, "no line end follows a message of NATS")
      }
      awaited = 0
      offset = last
      return .message(message)
    }
    awaited = 0
    offset = lineFeed + 1
    return try unsafe Self.short(verb, fields, buffer)
  }

  /// Reads a frame that is a single line.
  private static func short(
    _ verb: UnsafeRawBufferPointer,
    _ fields: Fields,
    _ buffer: UnsafeRawBufferPointer
  ) throws(NATSError) -> NATSFrame {
    if unsafe isVerb(verb, "ping") { return .ping }
    if unsafe isVerb(verb, "pong") { return .pong }
    if unsafe isVerb(verb, "+ok") { return .ok }
    if unsafe isVerb(verb, "info") { return .info(fields.rest) }
    if unsafe isVerb(verb, "-err") {
      let objection = unsafe part(buffer, fields.rest).filter { $0 != 0x27 }
      return .error(String(decoding: objection, as: UTF8.self))
    }
    let word = unsafe text(UnsafeRawBufferPointer(rebasing: verb.prefix(40)))
    throw NATSError(.malformed, "expected a line of NATS, found \"\(word)\"")
  }

  /// Reads `MSG subject sid [reply] length` or `HMSG subject sid [reply] headers length`.
  ///
  /// - Returns: the message, and the offset after its line end.
  private static func message(
    _ fields: Fields,
    _ buffer: UnsafeRawBufferPointer,
    _ start: Int,
    _ hasHeaders: Bool
  ) throws(NATSError) -> (NATSMessage, last: Int) {
    let counts = hasHeaders ? 2 : 1
    let hasReply = fields.count == 4 + counts
    guard hasReply || fields.count == 3 + counts,
      let subscription = unsafe UInt64(digits: part(buffer, fields[2])),
      let count = unsafe UInt64(digits: part(buffer, fields[fields.count - 1])),
      let headers = hasHeaders
        ? unsafe UInt64(digits: part(buffer, fields[fields.count - 2])) : 0
    else {
      let line = unsafe text(part(buffer, fields.whole.prefix(120)))
      throw NATSError(.malformed, "expected a message of NATS, found \"\(line)\"")
    }
    guard count <= longestMessage else {
      throw NATSError(.tooLong, "a message of NATS has \(count) bytes")
    }
    guard headers <= count else {
      throw NATSError(.malformed, "\(headers) of the \(count) bytes of a message are its headers")
    }
    let payload = start + Int(headers)..<start + Int(count)
    let message = NATSMessage(
      subject: fields[1],
      subscription: subscription,
      reply: hasReply ? fields[3] : start..<start,
      headers: start..<payload.lowerBound,
      payload: payload
    )
    return (message, payload.upperBound + 2)
  }
}

/// The fields of a line, separated by one or more blanks: NATS 2.9 writes two.
private struct Fields {
  let whole: Range<Int>
  private(set) var count = 0
  /// One more than any valid line has.
  private var places: (Range<Int>, Range<Int>, Range<Int>, Range<Int>, Range<Int>, Range<Int>)

  init(_ buffer: UnsafeRawBufferPointer, _ line: Range<Int>) {
    whole = line
    let none = line.upperBound..<line.upperBound
    places = (none, none, none, none, none, none)
    var place = line.lowerBound
    while true {
      while place < line.upperBound, unsafe buffer[place].isBlank { place += 1 }
      guard place < line.upperBound else { return }
      let start = place
      while place < line.upperBound, unsafe !buffer[place].isBlank { place += 1 }
      put(start..<place)
      // In INFO and -ERR only the first word is a field.
      if count > 6 { return }
    }
  }

  private mutating func put(_ range: Range<Int>) {
    switch count {
    case 0: places.0 = range
    case 1: places.1 = range
    case 2: places.2 = range
    case 3: places.3 = range
    case 4: places.4 = range
    case 5: places.5 = range
    default: break
    }
    count += 1
  }

  subscript(index: Int) -> Range<Int> {
    switch index {
    case 0: places.0
    case 1: places.1
    case 2: places.2
    case 3: places.3
    case 4: places.4
    default: places.5
    }
  }

  var first: Range<Int> { places.0 }

  /// The bytes from the second field on.
  var rest: Range<Int> { places.1.lowerBound..<whole.upperBound }
}
