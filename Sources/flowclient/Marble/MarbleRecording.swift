import FlowFiles
import FlowLanguage

/// The recorded values of subjects, as the rows of a test, in ticks of 100 ms.
struct MarbleRecording {
  /// In milliseconds.
  static let tick = 100
  private static let most = (ticks: 1_000, values: 2_000, bytes: 60_000)

  /// A row for each subject, up to the first tick beyond a limit.
  private(set) var rows: [String] = []
  private(set) var ticks = 0
  /// The number of values in the rows, and of all received.
  private(set) var values = (written: 0, all: 0)
  /// The number of values that a row cannot express.
  private(set) var unwritable = 0

  /// Records the inputs from `start` for `length` nanoseconds.
  init(
    _ inputs: [(subject: String, all: [LaneWatch.Input])],
    from start: UInt64,
    length: UInt64
  ) {
    let tick = UInt64(Self.tick) * 1_000_000
    ticks = min(Int(clamping: length / tick) + 1, Self.most.ticks)
    var marbles = inputs.map { _ in [[String]](repeating: [], count: ticks) }
    for (row, input) in inputs.enumerated() {
      for value in input.all {
        if value.payload != nil { values.all += 1 }
        let place = value.time > start ? Int(clamping: (value.time - start) / tick) : 0
        guard place < ticks else { continue }
        guard let text = Self.text(value) else {
          unwritable += 1
          continue
        }
        marbles[row][place].append(text)
      }
    }
    cut(marbles)
    rows = zip(inputs, marbles).map { input, marbles in
      "\(input.subject) " + marbles.prefix(ticks).map(Self.cell).joined()
    }
    let kept = marbles.flatMap { $0.prefix(ticks).joined() }
    values.written = kept.count { $0 != "|" && $0 != "^" }
  }

  /// Drops the ticks from the first that exceeds a limit.
  private mutating func cut(_ marbles: [[[String]]]) {
    var (values, bytes) = (0, 0)
    for tick in 0..<ticks {
      for row in marbles {
        values += row[tick].count
        bytes += row[tick].reduce(3) { $0 + $1.utf8.count }
      }
      guard values > Self.most.values || bytes > Self.most.bytes else { continue }
      ticks = max(1, tick)
      return
    }
  }

  private static func cell(_ marbles: [String]) -> String {
    switch marbles.count {
    case 0: "-"
    case 1: marbles[0]
    default: "[\(marbles.joined())]"
    }
  }

  /// Returns a value as a row spells it; nil if a row cannot express it.
  private static func text(_ input: LaneWatch.Input) -> String? {
    guard let payload = input.payload else { return input.hasFailed ? "^" : "|" }
    guard let text = String(validating: payload, as: UTF8.self) else { return nil }
    if isPlain(text) { return Marble.value(text).text }
    var json: [UInt8] = []
    unsafe payload.withUnsafeBytes { unsafe JSONText.append($0, to: &json) }
    let inJSON = String(decoding: json, as: UTF8.self)
    return isPlain(inJSON) ? Marble.value(inJSON).text : nil
  }

  /// Whether the text needs no escapes between quotes.
  private static func isPlain(_ text: String) -> Bool {
    !text.contains(where: \.isNewline) && "'\(text)'".count == text.count + 2
      && !(text.count == 1 && !text.utf8.allSatisfy { $0 < 0x80 })
      && !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }
}
