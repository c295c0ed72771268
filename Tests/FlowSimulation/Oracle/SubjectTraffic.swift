/// What is known of the values of one subject, and of who reads it, from what clients said and heard.
struct SubjectTraffic {
  /// Values that were said, which may be published.
  private(set) var said = 0
  /// Values that the server has told to be published.
  private(set) var settled = 0
  /// How many of its last values the subject keeps.
  var kept = 0
  /// Whether only streams of its name read it, so that all of them are known.
  var isReadByName = true
  /// Streams of its name that may be open, and those that surely are.
  private var possible: [ObjectIdentifier: StreamRecord] = [:]
  private var openings = 0
  private var sure: [ObjectIdentifier: StreamRecord] = [:]

  mutating func says() { said += 1 }
  mutating func settles(_ count: Int) { settled += count }

  mutating func mayOpen(_ record: StreamRecord) {
    possible[ObjectIdentifier(record)] = record
    openings += 1
  }

  mutating func opens(_ record: StreamRecord) { sure[ObjectIdentifier(record)] = record }
  mutating func mayEnd(_ record: StreamRecord) { sure[ObjectIdentifier(record)] = nil }
  mutating func ends(_ record: StreamRecord) {
    mayEnd(record)
    possible[ObjectIdentifier(record)] = nil
  }

  /// Who reads the subject at one moment.
  struct Readers {
    let sure: Set<ObjectIdentifier>
    /// How many there may be, and how many had been asked for so far.
    let most: Int
    let openings: Int
  }

  var readers: Readers {
    Readers(sure: Set(sure.keys), most: possible.count, openings: openings)
  }

  /// What is wrong with a value that went to so many subscriptions, when it was said while `then` read.
  func objection(to count: Int, since then: Readers, mayStall: Bool) -> String? {
    // Who has stalled may not have heard yet that his stream has failed.
    let least = mayStall ? 0 : then.sure.intersection(sure.keys).count
    if count < least { return "goes to \(count) of \(least) subscriptions" }
    let most = then.most + openings - then.openings
    return isReadByName && count > most ? "goes to \(count) of \(most) subscriptions" : nil
  }
}
