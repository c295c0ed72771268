import FlowLanguage

/// Takes values back out of the objects that `-o json` puts them into.
struct JSONRecords {
  private var number = 0

  /// The values of whole lines, and where each of them ends.
  mutating func values(
    of lines: ValueChunk
  ) throws(ClientError) -> (bytes: [UInt8], ends: [Int]) {
    var (values, ends): ([UInt8], [Int]) = ([], [])
    var place = ValueChunk.Place()
    while !lines.isEnd(place) {
      let line = unsafe lines.next(&place)
      number += 1
      guard let value = unsafe JSONRecord.value(in: line) else {
        let shown = unsafe String(decoding: line.prefix(60), as: UTF8.self)
        throw ClientError(
          .badInput,
          "line \(number) is not an object with a \"value\": \(shown)",
          advice: "--format json reads the output of flowclient sub -o json"
        )
      }
      values += value
      ends.append(values.count)
    }
    return (values, ends)
  }
}
