/// Reads a time of ISO 8601 or RFC 3339: a calendar date, with or without a time of day, in the
/// extended or the basic form.
///
/// Examples are `2026-11-25`, `2026-11-25T12:00:00Z`, `2026-11-25 12:00:00.5+01:00` and
/// `20261125T120000Z`; a time without a zone is in UTC.
struct ISO8601Reader {
  private let units: [UInt8]
  private var place = 0

  /// The length of the longest text that is read, in bytes.
  private static let longest = 64

  init(_ text: String) { units = text.utf8.count > Self.longest ? [] : Array(text.utf8) }

  /// The seconds since 1970; `nil` if the text is no time.
  mutating func seconds() -> Double? {
    guard let year = number(4) else { return nil }
    let isExtended = read("-")
    guard let month = number(2), read("-") == isExtended, let day = number(2),
      let date = CalendarDay(year: year, month: month, day: day)
    else { return nil }
    let start = Double(date.daysSince1970 * 86_400)
    if isAtEnd { return start }
    guard read("T") || read("t") || read(" "), let (minute, second) = timeOfDay(isExtended),
      let zone = zone(), isAtEnd
    else { return nil }
    // 24:00:00 is the beginning of the next day.
    guard minute < 86_400 || minute == 86_400 && second == 0 else { return nil }
    // A leap second is the last second of a day in UTC; it counts as the first of the next day.
    guard second < 60 || (minute - zone + 86_400) % 86_400 == 86_340 else { return nil }
    return start + (Double(minute) + second) - Double(zone)
  }

  private var isAtEnd: Bool { place == units.count }

  private mutating func read(_ unit: Unicode.Scalar) -> Bool {
    guard place < units.count, units[place] == UInt8(ascii: unit) else { return false }
    place += 1
    return true
  }

  private var isAtDigit: Bool {
    place < units.count && UInt8(ascii: "0")...UInt8(ascii: "9") ~= units[place]
  }

  /// Reads exactly `width` digits.
  private mutating func number(_ width: Int) -> Int? {
    guard place + width <= units.count else { return nil }
    var number = 0
    for _ in 0..<width {
      guard isAtDigit else { return nil }
      number = number * 10 + Int(units[place] - UInt8(ascii: "0"))
      place += 1
    }
    return number
  }

  /// Reads a time of day: the seconds from midnight to the minute, and the seconds in that minute.
  private mutating func timeOfDay(_ isExtended: Bool) -> (minute: Int, second: Double)? {
    guard let hour = number(2), read(":") == isExtended, let minute = number(2), minute < 60 else {
      return nil
    }
    let start = hour * 3600 + minute * 60
    guard isExtended ? read(":") : isAtDigit else { return (start, 0) }
    guard let second = number(2), second <= 60 else { return nil }
    guard read(".") || read(",") else { return (start, Double(second)) }
    let point = place
    while isAtDigit { place += 1 }
    guard place > point else { return nil }
    let fraction = String(decoding: units[point..<place], as: UTF8.self)
    return Double("\(second).\(fraction)").map { (start, $0) }
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
