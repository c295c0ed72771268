/// Cuts what a client sends into requests, as bytes come in.
///
/// Feed it what is unread; what it has not taken must be there again, with what came since, at the
/// next call. It takes a head line by line and a body when it is complete, so what is unread is
/// never more than one of these, and nothing is looked at twice. Bytes are read during the call
/// only: memory 8.
package struct RequestDecoder: Sendable {
  package enum Outcome: Equatable, Sendable {
    /// More bytes are needed. Some may have been taken.
    case incomplete
    /// The client waits for a `100 Continue` before it sends the body; returned once for a request.
    case awaitsContinue
    /// A request whose body stands at this place in the bytes of the call.
    case request(RequestHead, body: Range<Int>)
    /// Answer with this status, then close: it is not clear where the next request begins.
    ///
    /// The reason is a sentence without a full stop, and repeats nothing the client has sent.
    case refused(status: Int, reason: String)
  }

  /// The longest head, from the first line to the empty line, with all line ends.
  package static let longestHead = 8 << 10
  /// The longest body.
  package static let longestBody = RequestHead.longestBody
  /// The most headers of a request.
  package static let mostHeaders = RequestHead.mostHeaders

  private static let mostEmptyLines = 4

  private var emptyLines = 0
  /// The number of bytes of the head that were read.
  private var taken = 0
  /// The number of unread bytes that are known to contain no line end.
  private var searched = 0
  private var head: RequestHead?
  private var host: String?
  private var isHeadComplete = false
  /// Whether `awaitsContinue` has been returned.
  private var hasToldContinue = false
  private var refusal: BadRequest?

  package init() {}

  /// Whether no part of a request has been taken since the last one.
  ///
  /// While it is true and nothing is unread, the connection is idle rather than slow.
  package var isBetweenRequests: Bool { taken == 0 }

  /// Reads the next request from `bytes[offset...]` and moves `offset` behind it.
  ///
  /// After a refusal all that follows is refused in the same way.
  package mutating func next(_ bytes: UnsafeRawBufferPointer, _ offset: inout Int) -> Outcome {
    if refusal == nil {
      do throws(BadRequest) {
        return try unsafe take(bytes, &offset)
      } catch {
        refusal = error
      }
    }
    guard let refusal else { return .incomplete }
    return .refused(status: refusal.status, reason: refusal.reason)
  }

  private mutating func take(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: inout Int
  ) throws(BadRequest) -> Outcome {
    while !isHeadComplete {
      guard let line = try unsafe takeLine(bytes, &offset) else { return .incomplete }
      try read(line)
    }
    guard let head else { return .incomplete }
    guard bytes.count - offset >= head.contentLength else {
      guard head.awaitsContinue, !hasToldContinue else { return .incomplete }
      hasToldContinue = true
      return .awaitsContinue
    }
    let body = offset..<offset + head.contentLength
    offset = body.upperBound
    self = RequestDecoder()
    return .request(head, body: body)
  }

  private mutating func read(_ line: [UInt8]) throws(BadRequest) {
    if head != nil, line.isEmpty {
      try head?.end(host: host)
      isHeadComplete = true
    } else if head != nil {
      try head?.readHeader(line)
    } else if line.isEmpty {
      // Some clients send a line end behind a body.
      emptyLines += 1
      guard emptyLines <= Self.mostEmptyLines else {
        throw BadRequest("there are more than \(Self.mostEmptyLines) empty lines")
      }
      taken = 0
    } else {
      let first = try RequestLine(line)
      host = first.host
      head = RequestHead(first)
    }
  }

  /// Reads a line, and returns it without its end; nil while it is incomplete.
  ///
  /// It is copied, so that whatever reads it is safe. Each byte is checked when it comes, so that
  /// what is not HTTP at all is refused without waiting for a line end.
  private mutating func takeLine(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: inout Int
  ) throws(BadRequest) -> [UInt8]? {
    var place = offset + searched
    while place < bytes.count {
      guard taken + place - offset < Self.longestHead else {
        throw head == nil
          ? BadRequest(414, "the first line has more than \(Self.longestHead) bytes")
          : BadRequest(431, "the head has more than \(Self.longestHead) bytes")
      }
      let byte = unsafe bytes[place]
      let followsReturn = unsafe place > offset && bytes[place - 1] == .carriageReturn
      guard followsReturn == (byte == .lineFeed) else {
        throw BadRequest("a line does not end with CR LF")
      }
      if followsReturn {
        let line = unsafe Array(bytes[offset..<place - 1])
        taken += place + 1 - offset
        searched = 0
        offset = place + 1
        return line
      }
      guard !byte.isControl || byte == .carriageReturn else {
        throw BadRequest("there is a control character in the head")
      }
      place += 1
    }
    searched = place - offset
    return nil
  }
}
