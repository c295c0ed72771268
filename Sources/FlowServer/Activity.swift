internal import FlowTransport
import Synchronization

/// What the loop is doing, for other threads to read.
///
/// The loop pays one atomic store per turn, read and command. Nothing here points to memory that
/// may be freed.
struct Activity: ~Copyable, Sendable {
  enum Kind: UInt64 {
    case beginning, timers, values, subjects, sending, later, request, web
  }

  /// When the current turn began, in nanoseconds of the monotonic clock.
  private let began = Atomic<UInt64>(0)
  /// The current client; 0 for none.
  private let client = Atomic<Int>(0)
  /// A `Kind`, or the first bytes of a command, the first byte lowest.
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

  /// Records that the current client runs a command.
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

  var start: UInt64 { began.load(ordering: .relaxed) }

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

  /// Returns the verb of a command; what follows it may be secret.
  private static func verb(of word: UInt64) -> String {
    let capitals = (0..<8).lazy.map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) & 0xDF }
    let letters = capitals.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    return String(decoding: Array(letters), as: UTF8.self)
  }
}

/// A turn of the server's loop, as another thread sees it.
public struct TurnUnderWay: Sendable {
  /// A number that differs for each turn.
  public let number: UInt64
  /// When it began, in nanoseconds of the monotonic clock.
  public let began: UInt64
  /// What it is doing now.
  public let doing: String
}

extension Engine {
  /// The current turn, if there is one; callable from any thread.
  var turnUnderWay: TurnUnderWay? {
    guard let number = loop.turnUnderWay else { return nil }
    let turn = TurnUnderWay(number: number, began: activity.start, doing: activity.description)
    // Otherwise the values belong to another turn.
    return loop.turnUnderWay == number ? turn : nil
  }
}
