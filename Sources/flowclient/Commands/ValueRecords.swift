/// Reads values from a format whose lines are not simply values.
protocol ValueRecords {
  /// Returns the values in whole lines, up to the first mistake.
  mutating func read(_ lines: ValueChunk) -> ReadValues

  /// Returns an error if the last record is incomplete.
  func end() -> ClientError?
}

/// Values read from records, concatenated.
struct ReadValues {
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [Int] = []
  /// Why reading stopped after them.
  var failure: ClientError?

  mutating func add(_ value: some Sequence<UInt8>) {
    bytes += value
    ends.append(bytes.count)
  }

  mutating func add<E: Error>(_ write: (inout [UInt8]) throws(E) -> Void) throws(E) {
    try write(&bytes)
    ends.append(bytes.count)
  }
}

extension SendRequest.Form {
  /// Returns a reader of the form's records; nil if lines are the values.
  func records(limit: Int) -> (any ValueRecords)? {
    switch self {
    case .text, .raw: nil
    case .csv: CSVRecords(limit: limit)
    case .ndjson: NDJSONRecords()
    case .json: JSONRecords()
    }
  }
}
