/// Reads a time as ISO 8601 and RFC 3339 have it.
///
/// Such as `2026-11-25`, `2026-11-25T12:00:00Z` or `2026-11-25 12:00:00.5+01:00`; without a zone it is
/// one in UTC.
struct ISO8601Reader {
  private let units: [UInt8]
  private var place = 0

  init(_ text: String) { units = Array(text.utf8.prefix(64)) }

  /// The seconds since 1970; `nil` if the text is no time.
  mutating func seconds() -> Double? {
    guard let year = number(4), read("-"), let month = number(2), read("-"), let day = number(2),
      let date = CalendarDay(year: year, month: month, day: day)
    else { return nil }
    let start = Double(date.daysSince1970 * 86_400)
    if isAtEnd { return start }
    guard read("T") || read("t") || read(" "), let time = timeOfDay(), let zone = zone(), isAtEnd
    else { return nil }
    return start + time - Double(zone)
  }

  private var isAtEnd: Bool { place == units.count }

  private mutating func read(_ unit: Unicode.Scalar) -> Bool {
    guard place < units.count, units[place] == UInt8(ascii: unit) else { return false }
    place += 1
    return true
  }

  /// So many digits.
  private mutating func number(_ width: Int) -> Int? {
    guard place + width <= units.count else { return nil }
    var number = 0
    for unit in units[place..<place + width] {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= unit else { return nil }
      number = number * 10 + Int(unit - UInt8(ascii: "0"))
    }
    place += width
    return number
  }

  private mutating func timeOfDay() -> Double? {
    guard let hour = number(2), hour < 24, read(":"), let minute = number(2), minute < 60 else {
      return nil
    }
    let minutes = Double(hour * 3600 + minute * 60)
    guard read(":") else { return minutes }
    guard let second = number(2), second < 60 else { return nil }
    guard read(".") || read(",") else { return minutes + Double(second) }
    let start = place
    while number(1) != nil {}
    guard place > start else { return nil }
    let fraction = String(decoding: units[start..<place], as: UTF8.self)
    return Double("\(second).\(fraction)").map { minutes + $0 }
  }

  /// The seconds by which the zone is ahead of UTC.
  private mutating func zone() -> Int? {
    if isAtEnd || read("Z") || read("z") { return 0 }
    let isAhead = read("+")
    guard isAhead || read("-"), let hour = number(2), hour < 24 else { return nil }
    var minute = 0
    if !isAtEnd {
      _ = read(":")
      guard let number = number(2), number < 60 else { return nil }
      minute = number
    }
    let seconds = hour * 3600 + minute * 60
    return isAhead ? seconds : -seconds
  }
}
