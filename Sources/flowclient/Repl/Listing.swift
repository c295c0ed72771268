/// The program's own LIST of all names, sent besides the typed lines.
struct Listing {
  /// The tag of its rows and answer.
  static let tag = "_names"

  private(set) var rows: [String] = []
  private(set) var isAsked = false
  private(set) var time: UInt64 = 0
  /// Whether LIST must be sent again.
  var isStale = false

  mutating func begin(at time: UInt64) {
    self.time = time
    isAsked = true
    isStale = false
    rows = []
  }

  mutating func add(_ row: String) {
    if rows.count < KnownNames.most { rows.append(row) }
  }

  mutating func end() {
    isAsked = false
    rows = []
  }
}

/// A paste of several statements, which are sent one after the other.
struct Pasting {
  /// The pasted text, until the names to check it with are known.
  var text: String?
  var rest: ArraySlice<PastedText.Statement> = []
  /// The number of the last line sent.
  var line = 0
}
