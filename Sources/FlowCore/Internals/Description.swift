/// Shows itself as Combine's inner subscribers and subscriptions do: by the operator's name, and
/// with few children.
public protocol _SelfDescribing: CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  /// What a mirror shows.
  var _children: [Mirror.Child] { get }
}

extension _SelfDescribing {
  public var _children: [Mirror.Child] { [] }

  public var customMirror: Mirror {
    Mirror(self, children: _children, ancestorRepresentation: .suppressed)
  }

  public var playgroundDescription: Any { description }
}

/// The name of a stage, and which of its parts a mirror shows.
struct StageName: ExpressibleByStringLiteral {
  /// What a mirror can show, under its label.
  enum Part: String {
    case downstream, upstreamSubscription, status, finished
    /// These three are the stage's state.
    case result, initial, last
    /// How many elements the stage's state has.
    case count
  }

  let text: String
  let parts: [Part]

  init(_ text: String, showing parts: [Part]) {
    self.text = text
    self.parts = parts
  }

  init(stringLiteral text: String) { self.init(text, showing: []) }

  /// A stage that Combine makes out of its `reduce`.
  static func reducing(_ text: String) -> StageName {
    StageName(text, showing: [.downstream, .result, .initial, .status])
  }

  /// What a mirror shows of a stage with this name.
  func children<State, Downstream>(
    state: State,
    downstream: Downstream?,
    upstream: (any Subscription)?
  ) -> [Mirror.Child] {
    parts.map { part in
      let value: Any =
        switch part {
        case .downstream: downstream.map { $0 as Any } ?? downstream as Any
        case .upstreamSubscription: upstream as Any
        case .finished: downstream == nil
        case .status where downstream == nil: "terminated"
        case .status: upstream.map { "subscribed(\($0))" } ?? "awaitingSubscription"
        case .result, .initial, .last: state
        case .count: (state as? any Collection)?.count ?? 0
        }
      return (part.rawValue, value)
    }
  }
}
