import FlowLanguage

/// Lines of JSON, unchanged; blank lines are skipped, and a CR belongs to the line end.
struct NDJSONRecords: ValueRecords {
  private var number = 0

  mutating func read(_ lines: ValueChunk) -> ReadValues {
    var read = ReadValues()
    var place = ValueChunk.Place()
    while !lines.isEnd(place) {
      var line = unsafe lines.next(&place)
      number += 1
      if unsafe line.last == 13 {
        unsafe line = unsafe UnsafeRawBufferPointer(rebasing: line.dropLast())
      }
      if unsafe JSONText.isJSON(line) {
        unsafe read.add(line)
      } else if unsafe !line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 13 }) {
        read.failure = unsafe failure(of: line)
        return read
      }
    }
    return read
  }

  func end() -> ClientError? { nil }

  private func failure(of line: UnsafeRawBufferPointer) -> ClientError {
    let mistake = unsafe JSONText.mistake(in: line)
    let before = unsafe String(decoding: line.prefix(mistake.offset), as: UTF8.self)
    let place = "line \(number), column \(before.count + 1)"
    return ClientError(.badInput, "\(place): \(mistake.text)", advice: Self.advice)
  }

  private static let advice = "--format ndjson takes a line of JSON for each value"
}
