/// Reads values from the objects that `-o json` writes.
struct JSONRecords: ValueRecords {
  private var number = 0

  mutating func read(_ lines: ValueChunk) -> ReadValues {
    var read = ReadValues()
    var place = ValueChunk.Place()
    while !lines.isEnd(place) {
      let line = unsafe lines.next(&place)
      number += 1
      guard let value = unsafe JSONRecord.value(in: line) else {
        let shown = unsafe String(decoding: line.prefix(60), as: UTF8.self)
        read.failure = ClientError(
          .badInput,
          "line \(number) is not an object with a \"value\": \(shown)",
          advice: "--format json reads the output of flowclient sub -o json"
        )
        return read
      }
      read.add(value)
    }
    return read
  }

  func end() -> ClientError? { nil }
}
