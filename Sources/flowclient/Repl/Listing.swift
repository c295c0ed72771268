/// A question for all names that the server has, asked beside what is typed.
struct Listing {
  /// Marks its rows and its answer.
  static let tag = "_names"

  private(set) var rows: [String] = []
  private(set) var isAsked = false
  /// When LIST was sent last.
  private(set) var time: UInt64 = 0
  /// Whether it has to be asked once more.
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
  /// The pasted text, until the names are known that it is checked with.
  var text: String?
  var rest: ArraySlice<PastedText.Statement> = []
  /// The number of the line that was sent last.
  var line = 0
}
