/// Shows itself as Combine's inner subscribers and subscriptions do: by the operator's name, and
/// with few children.
public protocol _SelfDescribing: CustomStringConvertible, CustomReflectable,
  CustomPlaygroundDisplayConvertible
{
  /// What a mirror shows.
  var _children: [Mirror.Child] { get }
}

extension _SelfDescribing {
  /// Nothing, unless the operator shows something.
  public var _children: [Mirror.Child] { [] }

  /// A mirror of the children alone, without stored properties.
  public var customMirror: Mirror {
    Mirror(self, children: _children, ancestorRepresentation: .suppressed)
  }

  /// The operator's name.
  public var playgroundDescription: Any { description }
}

/// The name of a stage, which of its parts a mirror shows, and what it does with early signals.
@frozen
@usableFromInline
struct StageName: ExpressibleByStringLiteral {
  /// What a mirror can show, under its label.
  @frozen
  @usableFromInline
  enum Part: String {
    case downstream, upstreamSubscription, status, finished
    /// These three are the stage's state.
    case result, initial, last
    /// How many elements the stage's state has.
    case count
  }

  /// What comes of a value that an upstream sends before its subscription.
  @frozen
  @usableFromInline
  enum EarlyValue {
    case passed, ignored
    /// It traps, as a request that comes so early does.
    case trapped
  }

  @usableFromInline let text: String
  @usableFromInline let parts: [Part]
  @usableFromInline let earlyValue: EarlyValue
  /// Whether an end that comes before the subscription is passed on.
  @usableFromInline let passesEarlyEnd: Bool

  @inlinable
  init(
    _ text: String,
    showing parts: [Part] = [],
    earlyValue: EarlyValue = .ignored,
    passesEarlyEnd: Bool = false
  ) {
    self.text = text
    self.parts = parts
    self.earlyValue = earlyValue
    self.passesEarlyEnd = passesEarlyEnd
  }

  @inlinable
  init(stringLiteral text: String) { self.init(text) }

  /// A stage that Combine makes out of its `reduce`.
  @inlinable
  static func reducing(_ text: String) -> StageName {
    StageName(text, showing: [.downstream, .result, .initial, .status])
  }

  /// A stage that Combine makes out of its `filter`.
  @inlinable
  static func filtering(_ text: String, showing more: [Part] = []) -> StageName {
    StageName(text, showing: [.downstream] + more, earlyValue: .trapped)
  }

  /// What a mirror shows of a stage with this name.
  @usableFromInline
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
