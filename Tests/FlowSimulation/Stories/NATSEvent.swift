/// What happens to the NATS of a world.
package enum NATSEvent: Sendable, Equatable {
  /// It stops, and comes back after so many milliseconds.
  case stop(Int)
  /// All connections to it are reset.
  case cut
  /// It takes so many milliseconds at most for one thing; 0 is as usual.
  case slow(Int)
  /// Its disk has room for so many messages more.
  case fill(Int)
  case hasRoom
  /// It starts again without the last values of a subject, so many of them.
  case loseEnd(String, Int)
  /// It starts again without the stream of a subject.
  case loseStream(String)
}

extension NATSEvent: CustomStringConvertible {
  package var description: String {
    switch self {
    case .stop(let time): "stops \(time)"
    case .cut: "cuts"
    case .slow(let time): "is-slow \(time)"
    case .fill(let count): "has-room-for \(count)"
    case .hasRoom: "has-room"
    case .loseEnd(let subject, let count): "loses-end \(subject) \(count)"
    case .loseStream(let subject): "loses-stream \(subject)"
    }
  }

  /// Reads what `description` wrote; nil if it is something else.
  init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    let number = words.last.flatMap { Int($0) } ?? 0
    switch (words.first, words.count) {
    case ("stops", 2): self = .stop(number)
    case ("cuts", 1): self = .cut
    case ("is-slow", 2): self = .slow(number)
    case ("has-room-for", 2): self = .fill(number)
    case ("has-room", 1): self = .hasRoom
    case ("loses-end", 3): self = .loseEnd(words[1], number)
    case ("loses-stream", 2): self = .loseStream(words[1])
    default: return nil
    }
  }
}
