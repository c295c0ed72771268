/// Reads values from a format in which a line is not simply a value.
protocol ValueRecords {
  /// The values in whole lines, up to the first one that is wrong.
  mutating func read(_ lines: ValueChunk) -> ReadValues

  /// Returns the mistake at the end of the input, if the last record is incomplete.
  func end() -> ClientError?
}

/// Values that were read, one behind the other.
struct ReadValues {
  private(set) var bytes: [UInt8] = []
  /// The end of each value.
  private(set) var ends: [Int] = []
  /// Why what comes behind them is not read.
  var failure: ClientError?

  mutating func add(_ value: some Sequence<UInt8>) {
    bytes += value
    ends.append(bytes.count)
  }

  /// Adds what `write` appends.
  mutating func add<E: Error>(_ write: (inout [UInt8]) throws(E) -> Void) throws(E) {
    try write(&bytes)
    ends.append(bytes.count)
  }

  mutating func add(_ value: UnsafeRawBufferPointer) {
    unsafe bytes.append(contentsOf: value)
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
