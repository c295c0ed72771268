/// What work costs, in steps: all the prices there are.
///
/// A step is work of about 50 ns, so that the steps a value may take are some 50 ms.
enum Price {
  /// The most steps that a closure may take for one value.
  static let most = 1_000_000
  /// The most steps for what is computed when a pipeline is defined; more is left for later.
  static let mostWhenDefined = 1_000

  /// Copying a text, or going over its bytes.
  static func bytes(_ count: Int) -> Int { count >> 6 }

  /// Looking for a member in JSON.
  static func scanning(_ count: Int) -> Int { count >> 4 }

  /// Making a value of JSON.
  static func decoding(_ count: Int) -> Int { count >> 3 }

  /// Decoding a value that is still text: JSON, or the digits of a number.
  @inline(__always)
  static func decoding(_ value: Value) -> Int {
    switch value {
    case .raw(let raw): decoding(raw.bytes.count)
    case .number(let number): bytes(number.text.utf8.count)
    default: 0
    }
  }

  /// Opening a pipeline that takes so many bytes, or ending it; nothing where it is done within 20 µs.
  static func opening(_ bytes: Int) -> Int { bytes < 16 << 10 ? 0 : bytes / 24 }

  /// Making JSON of a value.
  static func writing(_ value: Value) -> Int {
    switch value {
    case .array, .object: Int(value.extent.bytes) / 4
    default: bytes(Int(value.extent.bytes))
    }
  }

  /// Collecting so many values: to look at them, to make an array of them, and to free it.
  static func collecting(_ values: Int) -> Int { values * 6 }

  /// Following a way through a regular expression by one step is so small a part of a step.
  static let matching = 24

  /// Making the texts of a match.
  static let match = 8

  /// Sending a value whose parts lie all over the memory, and freeing it.
  static func sending(_ value: Value) -> Int { value.footprint / 16 }

  /// Making an array of so many elements from others.
  static func copying(_ elements: Int) -> Int { elements / 4 }

  /// Finding a member of an object that is decoded.
  static func finding(in object: JSONObject) -> Int { object.members.count / 16 }

  /// Comparing two values: of two texts the shorter counts, of two with parts both do.
  static func comparing(_ a: Value, _ b: Value) -> Int {
    switch (a, b) {
    case (.array, .array), (.object, .object):
      1 + (Int(a.extent.bytes) + Int(b.extent.bytes)) / 4
    case (.string(let a), .string(let b)): comparing(a, b)
    default: 1
    }
  }

  /// Comparing two texts.
  static func comparing(_ a: String, _ b: String) -> Int {
    1 + bytes(min(a.utf8.count, b.utf8.count))
  }
}

extension Price {
  /// What a function does with what it is given.
  enum Work {
    /// Looks at it as a whole.
    case glance
    /// Goes over all characters of a text, or the members of an object.
    case characters
    /// Goes over the bytes of a text, and makes texts of them.
    case pieces
    /// Goes over the elements of an array.
    case elements
    /// Takes a part of a text or an array.
    case part
    /// Makes a value of each element of an array, or of each member of an object.
    case making
    /// Compares with each element of an array.
    case search
    /// Brings the elements of an array in order, or finds the first in order.
    case order, extreme
    /// Makes text of it.
    case writing
  }

  /// What it costs to give `value` to a function; the steps of a closure come on top.
  static func steps(_ work: Work, on value: Value) -> Int {
    switch (work, value) {
    case (.characters, .string(let text)), (.part, .string(let text)):
      // A character of ASCII is known by its byte, others by tables.
      1 + (text.isASCII ? text.utf8.count / 8 : text.utf8.count)
    case (.characters, .object(let object)): 1 + 2 * object.members.count
    case (.part, .array(let array)): 1 + copying(array.count)
    case (.making, .array(let array)): 1 + collecting(array.count)
    case (.making, .object(let object)): 1 + collecting(object.members.count)
    case (.pieces, .string(let text)): 1 + text.utf8.count / 4
    case (.elements, .array(let array)), (.extreme, .array(let array)):
      1 + array.count + bytes(Int(value.extent.bytes))
    case (.search, .array(let array)): 1 + array.count + Int(value.extent.bytes) / 4
    case (.search, .string(let text)): 1 + text.utf8.count / 16
    case (.order, .array(let array)):
      1 + (array.count + bytes(Int(value.extent.bytes)))
        * (Int.bitWidth - array.count.leadingZeroBitCount)
    case (.writing, _): 1 + writing(value)
    case (_, .string(let text)): 1 + bytes(text.utf8.count)
    default: 1
    }
  }
}
