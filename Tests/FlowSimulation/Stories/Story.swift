/// All that happens to a server from outside: what its files say, who comes and what he does, when.
///
/// As text it is a transcript with times. The same story in a world of the same seed goes the same
/// way.
package struct Story: Sendable {
  /// The seed of the world.
  package var seed: UInt64
  /// The lines of the server's file.
  package var definitions: [String] = []
  /// The lines of its token file; with none nobody is asked.
  package var tokens: [String] = []
  /// Who there is besides the server.
  package var actors: [ActorModel] = []
  /// What they do, in the order of time.
  package var steps: [Step] = []

  package struct Step: Sendable {
    /// Milliseconds since the server listened.
    package var time: Int
    /// Who does it; `server` is the server's machine, and `second` the second server.
    package var who: String
    package var what: Act
  }

  package enum Act: Sendable, Equatable {
    case connect
    /// A line; one that ends in `~` and a number has as many letters there. `: ID TEXT` is a counted
    /// value, whose line ends are written as U+2424.
    case say(String)
    /// So many bytes that mean nothing.
    case babble(Int)
    case stopReading
    case readOn
    case endInput
    case close
    case reset
    case vanish
    /// Nothing that this one sends, or is sent, arrives for so many milliseconds.
    case stall(Int)
    /// The server's machine sleeps for so many milliseconds.
    case sleep(Int)
    /// The server's file is changed to these lines, and the server told to read it.
    case reload([String])
    /// The same with the token file.
    case newTokens([String])
    /// As `reload`, but the file cannot be read.
    case failingReload
    case shortOfDescriptors(Bool)
    case shortOfMemory(Bool)
    /// The server is told to stop; when it has, another one begins with the same file.
    case restart
    /// The server is killed, and another one begins so many milliseconds later.
    case kill(Int)
    case nats(NATSEvent)
  }

  /// Whether the servers have a NATS.
  var hasNATS: Bool { definitions.contains { $0.contains(" on=nats") } }
}

/// How somebody at the other end behaves, besides what the story has him do.
package struct ActorModel: Sendable {
  package var name: String
  /// How he asks for more values once he has got some.
  package var asking = Asking.never
  /// What he does as a worker with a call.
  package var working = Working.answers
  /// How many bytes he reads at a time, and how long he rests between, in microseconds.
  package var gulp = 65_536
  package var rest = 0
  package var speaks = Speech.bytes
  /// Whether the second server is the one that he talks to.
  package var isAtSecond = false

  /// What he has at his end.
  package enum Speech: String, Sendable {
    /// Nothing but a socket.
    case bytes
    /// A program with FlowRemote.
    case library
    /// The program `flowclient`: what he says are its command lines.
    case program
  }

  package enum Asking: String, Sendable, CaseIterable {
    case never
    /// One more for each value.
    case oneByOne = "one-by-one"
    /// Ten more when ten have come.
    case byTens = "by-tens"
  }

  package enum Working: String, Sendable, CaseIterable {
    case answers
    case late
    case twice
    case never
    case wrongly
    case fails
  }
}

extension Story {
  /// A line as it is said: a long one is written short, and a counted value without its length.
  static func spelled(_ line: String) -> String {
    let line = unfolded(line)
    let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard line.hasPrefix(": "), parts.count == 3 else { return line }
    let text = parts[2].replacing("\u{2424}", with: "\n")
    return ": \(parts[1]) \(text.utf8.count)\n\(text)"
  }

  private static func unfolded(_ line: String) -> String {
    guard let sign = line.lastIndex(of: "~"), let count = Int(line[line.index(after: sign)...]),
      count <= 1 << 20
    else { return line }
    return line[..<sign] + String(repeating: "x", count: count)
  }
}

// MARK: - As text

extension Story: CustomStringConvertible {
  package var description: String {
    var lines = ["seed \(seed)"]
    lines += definitions.map { "file \($0)" }
    lines += tokens.map { "token \($0)" }
    for actor in actors {
      lines.append(
        "actor \(actor.name) asking=\(actor.asking.rawValue) working=\(actor.working.rawValue) "
          + "gulp=\(actor.gulp) rest=\(actor.rest)"
          + (actor.speaks == .bytes ? "" : " speaks=\(actor.speaks.rawValue)")
          + (actor.isAtSecond ? " server=second" : "")
      )
    }
    lines += steps.map { "\($0.time) \($0.who) \($0.what)" }
    return lines.map { "\($0)\n" }.joined()
  }

  /// Reads what `description` wrote; nil if it is something else.
  package init?(_ text: String) {
    self.init(seed: 0)
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard words.count == 2 else { return nil }
      switch words[0] {
      case "seed":
        guard let number = UInt64(words[1]) else { return nil }
        seed = number
      case "file": definitions.append(words[1])
      case "token": tokens.append(words[1])
      case "actor":
        guard let actor = ActorModel(words[1]) else { return nil }
        actors.append(actor)
      default:
        let parts = words[1].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard let time = Int(words[0]), parts.count == 2, let act = Act(String(parts[1])) else {
          return nil
        }
        steps.append(Step(time: time, who: String(parts[0]), what: act))
      }
    }
  }
}

extension ActorModel {
  fileprivate init?(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    guard let name = words.first else { return nil }
    self.init(name: name)
    for word in words.dropFirst() {
      let pair = word.split(separator: "=").map(String.init)
      guard pair.count == 2 else { return nil }
      switch pair[0] {
      case "asking": asking = Asking(rawValue: pair[1]) ?? .never
      case "working": working = Working(rawValue: pair[1]) ?? .answers
      case "gulp": gulp = Int(pair[1]) ?? gulp
      case "speaks": speaks = Speech(rawValue: pair[1]) ?? .bytes
      case "rest": rest = Int(pair[1]) ?? rest
      case "server": isAtSecond = pair[1] == "second"
      default: return nil
      }
    }
  }
}

extension Story.Act: CustomStringConvertible {
  package var description: String {
    switch self {
    case .connect: "connects"
    case .say(let line): "> \(line)"
    case .babble(let count): "babbles \(count)"
    case .stopReading: "stops-reading"
    case .readOn: "reads-on"
    case .endInput: "ends-input"
    case .close: "closes"
    case .reset: "resets"
    case .vanish: "vanishes"
    case .stall(let time): "stalls \(time)"
    case .sleep(let time): "sleeps \(time)"
    case .reload(let lines): "reloads \(lines.joined(separator: "\u{241E}"))"
    case .newTokens(let lines): "has-tokens \(lines.joined(separator: "\u{241E}"))"
    case .failingReload: "reloads-in-vain"
    case .shortOfDescriptors(let isShort): "descriptors \(isShort ? "gone" : "back")"
    case .shortOfMemory(let isShort): "memory \(isShort ? "gone" : "back")"
    case .restart: "restarts"
    case .kill(let time): "is-killed \(time)"
    case .nats(let event): "\(event)"
    }
  }

  init?(_ text: String) {
    if text.hasPrefix("> ") {
      self = .say(String(text.dropFirst(2)))
      return
    }
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    switch words.first {
    case "connects": self = .connect
    case "babbles": self = .babble(Int(rest) ?? 0)
    case "stops-reading": self = .stopReading
    case "reads-on": self = .readOn
    case "ends-input": self = .endInput
    case "closes": self = .close
    case "resets": self = .reset
    case "vanishes": self = .vanish
    case "stalls": self = .stall(Int(rest) ?? 0)
    case "sleeps": self = .sleep(Int(rest) ?? 0)
    case "reloads": self = .reload(rest.split(separator: "\u{241E}").map(String.init))
    case "has-tokens": self = .newTokens(rest.split(separator: "\u{241E}").map(String.init))
    case "reloads-in-vain": self = .failingReload
    case "descriptors": self = .shortOfDescriptors(rest == "gone")
    case "memory": self = .shortOfMemory(rest == "gone")
    case "restarts": self = .restart
    case "is-killed": self = .kill(Int(rest) ?? 0)
    default:
      guard let event = NATSEvent(text) else { return nil }
      self = .nats(event)
    }
  }
}
