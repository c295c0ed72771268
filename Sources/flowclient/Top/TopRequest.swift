import FlowWire

/// What `top` shows, and how.
struct TopRequest: Equatable {
  /// The name to look at closely.
  var name: String?
  /// The one subscription of it to look at; all of them if nil.
  var stream: StreamPlace?
  /// How often something is printed; without end if nil.
  var count: UInt64?
  var interval = Duration.seconds(1)
  var form = Form.text
  var filter = ""
  var sort = TopSort.verdict
  /// Whether it prints instead of filling the screen.
  var isBatch = false
  /// Whether no other characters than those of ASCII are shown.
  var isASCII = false

  enum Form: String, CaseIterable {
    case text, json, csv
  }
}

/// By what names are sorted.
enum TopSort: String, CaseIterable {
  /// Those that lose values first, then by verdict.
  case verdict
  case name, `in`, out, drops, lost, subscriptions

  var next: TopSort {
    let all = Self.allCases
    let place = (all.firstIndex(of: self) ?? 0) + 1
    return all[place % all.count]
  }

  /// What it is called above the table.
  var title: String {
    switch self {
    case .verdict: "verdict"
    case .name: "name"
    case .in: "in/s"
    case .out: "out/s"
    case .drops: "drops"
    case .lost: "drops/s"
    case .subscriptions: "subscriptions"
    }
  }
}
