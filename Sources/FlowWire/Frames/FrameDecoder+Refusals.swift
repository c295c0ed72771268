extension FrameDecoder {
  /// Continues to skip a refused frame, without keeping its bytes.
  @usableFromInline @inline(never)
  mutating func resume(_ buffer: UnsafeRawBufferPointer, _ offset: inout Int) -> Frame {
    while offset < buffer.count {
      switch skip {
      case .nothing:
        return unsafe next(buffer, &offset)
      case .line:
        guard let end = unsafe lineFeed(in: buffer, from: offset) else {
          offset = buffer.count
          return .incomplete
        }
        offset = end + 1
        stopSkipping()
      case .payload(let count):
        let taken = min(count, buffer.count - offset)
        offset += taken
        skip = taken == count ? .payloadEnd : .payload(count - taken)
      case .payloadEnd:
        if unsafe buffer[offset] == .lineFeed {
          offset += 1
          stopSkipping()
        } else {
          guard unsafe buffer[offset] == .carriageReturn else { return fail(.noLineEnd) }
          guard buffer.count > offset + 1 else { return .incomplete }
          guard unsafe buffer[offset + 1] == .lineFeed else { return fail(.noLineEnd) }
          offset += 2
          stopSkipping()
        }
      case .everything(let reason):
        return .broken(reason.error)
      }
    }
    if case .everything(let reason) = skip { return .broken(reason.error) }
    return .incomplete
  }

  private mutating func stopSkipping() {
    skip = .nothing
    known = 0
    ceiling = UInt32(limits.line + 1)
  }

  /// Refuses an unfinished line if it is already too long.
  ///
  /// One more byte than allowed may be the CR of the line end.
  @usableFromInline @inline(never)
  mutating func judge(
    unfinishedLineIn buffer: UnsafeRawBufferPointer,
    _ offset: inout Int
  ) -> Frame {
    let line = unsafe UnsafeRawBufferPointer(rebasing: buffer[offset...])
    let refusal: WireError
    if let text = unsafe startOfText(line) {
      ceiling = UInt32(text + limits.value + 1)
      if known <= ceiling { return .incomplete }
      refusal = Self.tooLong(nil, limits.value)
    } else {
      refusal = lineTooLong
    }
    defer { offset = buffer.count }
    known = .max
    skip = .line
    return .refused(refusal, start: offset)
  }

  /// Refuses a complete line that exceeds the limit of its kind.
  @usableFromInline @inline(never)
  mutating func judge(line buffer: UnsafeRawBufferPointer, _ place: Range<Int>) -> Frame? {
    ceiling = UInt32(limits.line + 1)
    let line = unsafe UnsafeRawBufferPointer(rebasing: buffer[place])
    if let text = unsafe startOfText(line) {
      guard line.count - text > limits.value else { return nil }
      return .refused(Self.tooLong(nil, limits.value), start: place.lowerBound)
    }
    guard line.count > limits.line else { return nil }
    return .refused(lineTooLong, start: place.lowerBound)
  }

  /// Returns where the payload of `= ID TEXT` or `[@TAG] SEND NAME TEXT` begins, if `line` is one.
  ///
  /// It examines only as many bytes as a line may have, so that the result does not depend on how
  /// the input is split.
  private func startOfText(_ line: UnsafeRawBufferPointer) -> Int? {
    let head = unsafe UnsafeRawBufferPointer(rebasing: line[..<min(line.count, limits.line + 1)])
    if unsafe head.first == .equals {
      guard head.count > 2, unsafe head[1] == .space else { return nil }
      return unsafe head[2...].firstIndex(of: .space).map { $0 + 1 }
    }
    var fields = unsafe FieldReader(head)
    fields.skipBlanks()
    if fields.next == .at {
      fields.skipWord()
      fields.skipBlanks()
    }
    guard unsafe Verb(fields.word()) == .send else { return nil }
    fields.skipBlanks()
    fields.skipWord()
    return fields.next == nil ? nil : fields.place + 1
  }

  private var lineTooLong: WireError {
    WireError(.lineTooLong, "the line is longer than \(limits.line) bytes and was skipped")
  }

  /// The error of a value over the limit; `length` is known for counted values only.
  static func tooLong(_ length: Int?, _ limit: Int) -> WireError {
    let size = length.map { "has \($0) bytes" } ?? "is too long"
    return WireError(
      .valueTooLong,
      "the value \(size); the limit is \(limit) bytes; it was skipped"
    )
  }

  /// Returns the error of a line that begins like a value but is not one.
  @usableFromInline @inline(never)
  static func malformedValue(_ base: UnsafeRawPointer, _ start: Int, _ end: Int) -> Frame {
    let line = unsafe UnsafeRawBufferPointer(start: base + start, count: end - start)
    return unsafe .refused(malformedValue(line), start: start)
  }

  static func malformedValue(_ line: UnsafeRawBufferPointer) -> WireError {
    let form = unsafe line.first == .colon ? CommandTable.countedValue : CommandTable.textValue
    return form.usage(unsafe "\(quoted(line)) is not a value frame")
  }
}
