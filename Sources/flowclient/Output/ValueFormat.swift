import FlowWire

/// The form of a value in the output.
struct ValueFormat: Sendable, Equatable {
  enum Form {
    /// The payload alone and a line end.
    case line
    /// The payload alone.
    case raw
    /// An object a line, see `JSONRecord`.
    case json
    /// JSON a line, see `JSONLine.append`.
    case ndjson
    /// Records, see `CSVTable`.
    case csv
    case template(ValueTemplate)
    /// With time and number: `12:30:25.104 #1 {"id":1}`.
    case terminal(colored: Bool)

    /// Whether it is made of what stands in values, and not of values as they are.
    var isComposed: Bool {
      switch self {
      case .ndjson, .csv, .template: true
      case .line, .raw, .json, .terminal: false
      }
    }
  }

  /// The state after the previous values.
  struct State {
    fileprivate var table = CSVTable()
    fileprivate var missing: [String: UInt64] = [:]

    /// The values and members that the form cannot show, in lines for people.
    var remarks: [String] {
      let (values, members) = table.leftOut
      let names = members.joined(separator: ", ")
      let counted = Figure.counted(values, "value")
      let leftOut = values == 0 ? [] : ["\(counted) had members that are no columns: \(names)"]
      let missing = missing.sorted { $0.key < $1.key }
      return leftOut + missing.map { "\(Figure.counted($0.value, "value")) had no {\($0.key)}" }
    }
  }

  var form: Form
  /// Whether a NUL ends each value, and not a line end.
  var endsWithNull = false

  /// Whether the time of receipt is part of the output.
  var needsTime: Bool {
    switch form {
    case .line, .raw, .ndjson, .csv, .template: false
    case .json, .terminal: true
    }
  }

  /// Adds value number `number`, received at `time`, to `output`.
  func append(
    _ payload: UnsafeRawBufferPointer,
    number: UInt64,
    time: String,
    _ state: inout State,
    to output: inout [UInt8]
  ) {
    switch form {
    case .line:
      unsafe output.append(contentsOf: payload)
      output.append(end)
    case .raw:
      unsafe output.append(contentsOf: payload)
      if endsWithNull { output.append(end) }
    case .ndjson:
      unsafe JSONLine.append(payload, to: &output)
      output.append(end)
    case .csv:
      unsafe state.table.append(payload, to: &output)
    case .template(let template):
      unsafe template.append(payload, number: number, missing: &state.missing, to: &output)
      output.append(end)
    case .json:
      output.append(contentsOf: "{\"n\":\(number),\"time\":\"\(time)\"".utf8)
      unsafe JSONRecord.append(payload, to: &output)
      output.append(UInt8(ascii: "}"))
      output.append(end)
    case .terminal(let colored):
      let head = "\(time) #\(number)"
      output.append(contentsOf: (colored ? "\u{1b}[2m\(head)\u{1b}[0m " : "\(head) ").utf8)
      unsafe Self.appendVisibly(payload, to: &output)
      output.append(end)
    }
  }

  private var end: UInt8 { endsWithNull ? 0 : 10 }

  /// Leaves nothing in a payload that a terminal would obey or not show.
  static func appendVisibly(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    guard unsafe payload.contains(where: { $0 < 32 || $0 >= 127 }) else {
      unsafe output.append(contentsOf: payload)
      return
    }
    for scalar in unsafe String(decoding: payload, as: UTF8.self).unicodeScalars {
      let text = scalar.isUnseen ? scalar.escaped(asASCII: true) : String(scalar)
      output.append(contentsOf: text.utf8)
    }
  }
}

extension ValueFormat.Form: Equatable {}
