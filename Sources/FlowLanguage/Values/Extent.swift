/// How large a value is: kept where it is made, so that bounds cost nothing to check.
struct Extent: Sendable {
  /// The octets of the value as JSON, about.
  private(set) var octets: UInt32 = 0
  /// How many arrays and objects stand one inside another; 0 where that is not known.
  private(set) var height: UInt32 = 0

  /// A value that is computed has no more octets as JSON.
  static let mostOctets = 1 << 20
  /// Arrays and objects are nested no deeper.
  static let mostHeight = 128

  init() {}

  init(octets: Int, height: Int) {
    self.octets = UInt32(clamping: octets)
    self.height = UInt32(clamping: height)
  }

  /// The extent of what holds `elements`.
  static func around(_ elements: some Sequence<Extent>) -> Extent {
    var octets = 1
    var height: UInt32 = 0
    for element in elements {
      octets += Int(element.octets) + 1
      height = max(height, element.height)
    }
    return Extent(octets: max(2, octets), height: Int(height) + 1)
  }

  /// Throws if a closure may not make a value of this extent.
  func check() throws(Trouble) {
    guard octets <= Self.mostOctets else { throw .tooLarge }
    guard height <= Self.mostHeight else {
      throw .fault("a value is nested at most \(Self.mostHeight) deep")
    }
  }
}

extension Value {
  var extent: Extent {
    switch self {
    case .null, .bool: Extent(octets: 4, height: 0)
    case .int: Extent(octets: 1, height: 0)
    case .double: Extent(octets: 3, height: 0)
    case .string(let text): Extent(octets: text.utf8.count + 2, height: 0)
    case .number(let number): Extent(octets: number.text.utf8.count, height: 0)
    case .array(let array): array.extent
    case .object(let object): object.extent
    case .raw(let raw): Extent(octets: raw.octets.count, height: Int(raw.height))
    }
  }

  /// Throws if this is too large to be published.
  func checkSize() throws(Trouble) {
    // An octet takes at most six as JSON, so most values need not be written to be measured.
    guard extent.octets > Extent.mostOctets / 12 else { return }
    if case .raw = self { return }
    guard withOctets(\.count) <= Extent.mostOctets else { throw .tooLarge }
  }
}

extension Trouble {
  static var tooLarge: Trouble { .fault("a value has at most 1 MiB") }
}
