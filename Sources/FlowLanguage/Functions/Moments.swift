/// What the functions of times do: seconds since the beginning of 1970, in UTC, without leap seconds.
enum Moments {
  static func now(_ locals: inout Locals) throws(EvaluationError) -> Value {
    guard let work = locals.work else {
      // What is computed when the pipeline is defined is computed anew when it runs.
      throw .limit("the time is known when the pipeline runs")
    }
    return seconds(work.timeOfDay)
  }

  /// The seconds that so many nanoseconds are, to the microsecond.
  static func seconds(_ nanoseconds: Int64) -> Value {
    .double(Double(nanoseconds / 1000) / 1e6)
  }

  /// The time that a text in ISO 8601 says; null if it says none.
  static func date(_ value: Value) -> Value {
    var reader = ISO8601Reader(value.text)
    return reader.seconds().map(Value.double) ?? .null
  }

  static func iso8601(_ value: Value) throws(EvaluationError) -> Value {
    let seconds = value.real
    // From the year 0 to the end of 9999.
    guard -62_167_219_200 <= seconds, seconds < 253_402_300_800 else {
      throw .fault("ISO8601Format needs a time in the years 0 to 9999")
    }
    let milliseconds = min((seconds * 1000).rounded(), 253_402_300_799_999)
    return .string(text(Int(milliseconds)))
  }

  private static func text(_ milliseconds: Int) -> String {
    let (seconds, fraction) = floored(milliseconds, 1000)
    let (days, second) = floored(seconds, 86_400)
    let day = CalendarDay(daysSince1970: days)
    let date = "\(digits(day.year, 4))-\(digits(day.month, 2))-\(digits(day.day, 2))"
    let minute = second / 60
    let time = "\(digits(minute / 60, 2)):\(digits(minute % 60, 2)):\(digits(second % 60, 2))"
    return "\(date)T\(time)\(fraction == 0 ? "" : ".\(digits(fraction, 3))")Z"
  }

  private static func floored(_ number: Int, _ divisor: Int) -> (quotient: Int, rest: Int) {
    let rest = (number % divisor + divisor) % divisor
    return ((number - rest) / divisor, rest)
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}

/// A day of the Gregorian calendar.
///
/// H. Hinnant, "chrono-Compatible Low-Level Date Algorithms", 2014.
struct CalendarDay {
  let year: Int
  let month: Int
  let day: Int

  /// The days in 400 years, and those from March of the year 0 to the beginning of 1970.
  private static let daysOfEra = 146_097
  private static let daysTo1970 = 719_468

  init(daysSince1970 days: Int) {
    let number = days + Self.daysTo1970
    let era = (number >= 0 ? number : number - Self.daysOfEra + 1) / Self.daysOfEra
    let dayOfEra = number - era * Self.daysOfEra
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    // Counted from March, so that the day of a leap year is the last.
    let month = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * month + 2) / 5 + 1
    self.month = month < 10 ? month + 3 : month - 9
    year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
  }

  /// `nil` if there is no such day.
  init?(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
    guard 1...12 ~= month, 1...31 ~= day else { return nil }
    let same = CalendarDay(daysSince1970: daysSince1970)
    guard same.day == day else { return nil }
  }

  var daysSince1970: Int {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysOfEra + dayOfEra - Self.daysTo1970
  }
}
