internal import FlowTransport
import Synchronization

/// What the loop is doing, for threads that look at it from outside.
///
/// The loop pays a store for a turn, for a read and for a command. Nothing in it refers to memory
/// that could go.
struct Activity: ~Copyable, Sendable {
  enum Kind: UInt64 {
    case beginning, timers, values, subjects, sending, later, request, web
  }

  /// When the turn under way began, in nanoseconds of the monotonic clock.
  private let began = Atomic<UInt64>(0)
  /// The client that is served; 0 for none.
  private let client = Atomic<Int>(0)
  /// A `Kind`, or the first bytes of a command, the very first one lowest.
  private let word = Atomic<UInt64>(0)

  @inline(__always)
  func beginTurn(at nanoseconds: UInt64) {
    began.store(nanoseconds, ordering: .relaxed)
    record(.beginning)
  }

  @inline(__always)
  func record(_ kind: Kind, client id: Int = 0) {
    client.store(id, ordering: .relaxed)
    word.store(kind.rawValue, ordering: .relaxed)
  }

  /// A command of the client that is served is run.
  @inline(__always)
  func record(command line: UnsafeRawBufferPointer) {
    if line.count >= 8, unsafe line[0] != UInt8(ascii: "@") {
      word.store(unsafe line.loadUnaligned(as: UInt64.self).littleEndian, ordering: .relaxed)
    } else {
      unsafe record(shortOrTagged: line)
    }
  }

  private func record(shortOrTagged line: UnsafeRawBufferPointer) {
    var start = 0
    if unsafe line.first == UInt8(ascii: "@") {
      while start < line.count, unsafe line[start] != UInt8(ascii: " ") { start += 1 }
      while start < line.count, unsafe line[start] == UInt8(ascii: " ") { start += 1 }
    }
    var bytes: UInt64 = 0
    var place = min(start + 8, line.count)
    while place > start {
      place -= 1
      bytes = bytes << 8 | UInt64(unsafe line[place])
    }
    if bytes > 0 { word.store(bytes, ordering: .relaxed) }
  }

  /// When the turn began.
  var start: UInt64 { began.load(ordering: .relaxed) }

  /// What is done, in words.
  var description: String {
    let client = client.load(ordering: .relaxed)
    let word = word.load(ordering: .relaxed)
    let place = client == 0 ? "" : "client=\(client) "
    let verb = Self.verb(of: word)
    if !verb.isEmpty { return place + verb }
    return switch Kind(rawValue: word) {
    case .beginning: "the turn begins"
    case .timers: "timers"
    case .subjects: "delivering to subjects with new room"
    case .sending: "\(place)output"
    case .later: "work left over from an earlier turn"
    case .request: "files or the program that hosts the server"
    case .web: "a request by HTTP"
    case .values, nil: "\(place)values"
    }
  }

  /// The letters that a command begins with; what follows may be secret.
  private static func verb(of word: UInt64) -> String {
    let capitals = (0..<8).lazy.map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) & 0xDF }
    let letters = capitals.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    return String(decoding: Array(letters), as: UTF8.self)
  }
}

/// A turn of a server's loop, as seen from outside.
public struct TurnUnderWay: Sendable {
  /// A number that differs from turn to turn.
  public let number: UInt64
  /// When it began, in nanoseconds of the monotonic clock.
  public let began: UInt64
  /// What it does at the moment.
  public let doing: String
}

extension Engine {
  /// The turn that is under way, if one is; from any thread.
  var turnUnderWay: TurnUnderWay? {
    guard let number = loop.turnUnderWay else { return nil }
    let turn = TurnUnderWay(number: number, began: activity.start, doing: activity.description)
    // Else what was read is of another turn.
    return loop.turnUnderWay == number ? turn : nil
  }
}
