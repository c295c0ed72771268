import FlowLanguage

/// Values as records of CSV: the members of the first one are the columns.
///
/// A string is its text, all else the JSON that it is. A text that would be read as a number, `true`,
/// `false` or `null` stands in quotes. What is no object, or an empty one, has one member: `value`.
struct CSVTable {
  private var columns: [String] = []
  /// The number of values with members that are no columns, and the first of these members.
  private(set) var leftOut: (values: UInt64, members: [String]) = (0, [])
  private static let mostNames = 5

  /// Adds the record for `payload`, and before the first one the header.
  mutating func append(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    guard case .object(let object) = unsafe Value(bytes: payload).decoded, !object.members.isEmpty
    else {
      if columns.isEmpty { begin(with: [Self.onlyColumn], &output) }
      return unsafe append(whole: payload, to: &output)
    }
    if columns.isEmpty { begin(with: object.members.map(\.key), &output) }
    let start = output.count
    var found = 0
    for (number, column) in columns.enumerated() {
      if number > 0 { output.append(UInt8(ascii: ",")) }
      guard let value = object[column] else { continue }
      append(value, to: &output)
      found += 1
    }
    endRecord(from: start, &output)
    if found < object.members.count { leaveOut(object.members.map(\.key)) }
  }

  private static let onlyColumn = "value"

  private mutating func begin(with names: [String], _ output: inout [UInt8]) {
    for name in names where !columns.contains(name) { columns.append(name) }
    let start = output.count
    output += CSVText.row(columns).utf8
    endRecord(from: start, &output)
  }

  /// Ends the record that begins at `start`; writes `""` for an empty one, since readers skip blank lines.
  private func endRecord(from start: Int, _ output: inout [UInt8]) {
    if output.count == start { output += "\"\"".utf8 }
    output.append(10)
  }

  private mutating func append(
    whole payload: UnsafeRawBufferPointer,
    to output: inout [UInt8]
  ) {
    let start = output.count
    guard let place = columns.firstIndex(of: Self.onlyColumn) else {
      output += [UInt8](repeating: UInt8(ascii: ","), count: columns.count - 1)
      endRecord(from: start, &output)
      return leaveOut([Self.onlyColumn])
    }
    output += [UInt8](repeating: UInt8(ascii: ","), count: place)
    unsafe JSONPayload.withText(of: payload) { text, isString in
      unsafe append(text, isString: isString, to: &output)
    }
    output += [UInt8](repeating: UInt8(ascii: ","), count: columns.count - 1 - place)
    endRecord(from: start, &output)
  }

  private func append(_ value: Value, to output: inout [UInt8]) {
    if case .string(var text) = value.decoded {
      text.withUTF8 {
        unsafe append(UnsafeRawBufferPointer($0), isString: true, to: &output)
      }
    } else {
      unsafe value.withBytes { unsafe append($0, isString: false, to: &output) }
    }
  }

  private func append(
    _ text: UnsafeRawBufferPointer,
    isString: Bool,
    to output: inout [UInt8]
  ) {
    let isQuoted = unsafe isString && CSVText.isLiteral(Array(text)[...])
    unsafe CSVText.append(text, isQuoted: isQuoted, to: &output)
  }

  private mutating func leaveOut(_ members: [String]) {
    let others = members.filter { !columns.contains($0) }
    guard !others.isEmpty else { return }
    leftOut.values += 1
    for name in others
    where leftOut.members.count < Self.mostNames && !leftOut.members.contains(name) {
      leftOut.members.append(name)
    }
  }
}
