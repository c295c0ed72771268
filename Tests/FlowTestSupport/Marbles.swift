public import FlowCore

/// The failure that `✕` means.
public struct MarbleFailure: Error, Equatable, CustomStringConvertible {
  public init() {}
  public var description: String { "✕" }
}

/// A source drawn with marbles.
public typealias MarbleSource = AnyPublisher<String, MarbleFailure>

/// Signals by the second: each character is one second.
///
/// `-` is a second without signals, `|` the end, `✕` a failure, and any other character a value.
/// `(12|)` are several signals in one second, `[10]` is a value of several characters.
struct Marbles {
  enum Signal: Equatable {
    case value(String)
    case finished
    case failure
  }

  /// The signals of each second.
  private(set) var seconds: [[Signal]] = []

  init(_ text: String) {
    var group: [Signal]?
    var value: String?
    for character in text {
      var signal: Signal
      switch (character, value) {
      case ("]", let text?):
        value = nil
        signal = .value(text)
      case (_, let text?):
        value = text + String(character)
        continue
      case ("[", nil):
        value = ""
        continue
      case ("(", nil):
        group = []
        continue
      case (")", nil):
        seconds.append(group ?? [])
        group = nil
        continue
      case ("-", nil):
        seconds.append([])
        continue
      case ("|", nil): signal = .finished
      case ("✕", nil): signal = .failure
      default: signal = .value(String(character))
      }
      if group == nil { seconds.append([signal]) } else { group?.append(signal) }
    }
  }

  init(length: Int) { seconds = Array(repeating: [], count: length) }

  /// Adds a signal, and seconds before it if necessary.
  mutating func add(_ signal: Signal, at second: Int) {
    while seconds.count <= second { seconds.append([]) }
    seconds[second].append(signal)
  }

  /// Removes the empty seconds after the end.
  mutating func trim() {
    guard let end = seconds.firstIndex(where: { $0.contains { $0.isEnd } }) else { return }
    while seconds.count > end + 1, seconds.last == [] { seconds.removeLast() }
  }

  var text: String {
    seconds.map { signals in
      switch signals.count {
      case 0: "-"
      case 1: signals[0].text
      default: "(" + signals.map(\.text).joined() + ")"
      }
    }
    .joined()
  }
}

extension Marbles.Signal {
  fileprivate var isEnd: Bool { self == .finished || self == .failure }

  fileprivate var text: String {
    switch self {
    case .value(let value): value.count == 1 ? value : "[\(value)]"
    case .finished: "|"
    case .failure: "✕"
    }
  }
}
