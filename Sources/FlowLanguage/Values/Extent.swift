/// How large a value is: kept where it is made, so that bounds cost nothing to check.
struct Extent: Sendable {
  /// The bytes of the value as JSON, about.
  private(set) var bytes: UInt32 = 0
  /// The height in the low byte, the memory in units of 16 bytes above it: a value stands in as few
  /// words as it can.
  private var heightAndMemory: UInt32 = 0

  /// How many arrays and objects stand one inside another; 0 where that is not known.
  var height: UInt32 { heightAndMemory & 0xFF }

  /// The bytes that the value takes in memory besides its own place: not fewer, and not many more,
  /// than it would take if nothing of it were shared.
  var memory: Int { Int(heightAndMemory >> 8) << 4 }

  /// A value that is computed has no more bytes as JSON.
  static let mostBytes = 1 << 20
  /// Arrays and objects are nested no deeper.
  static let mostHeight = 128

  init() {}

  init(bytes: Int, height: Int, memory: Int = 0) {
    self.bytes = UInt32(clamping: bytes)
    heightAndMemory =
      UInt32(min(height, 0xFF)) | UInt32(min((memory + 15) >> 4, 0xFF_FFFF)) << 8
  }

  /// The extent of what holds `elements`, each in a place of `stride` bytes.
  static func around(_ elements: some Sequence<Extent>, stride: Int) -> Extent {
    var bytes = 1
    var height: UInt32 = 0
    var memory = 0
    for element in elements {
      bytes += Int(element.bytes) + 1
      height = max(height, element.height)
      memory += element.memory + stride
    }
    return Extent(
      bytes: max(2, bytes),
      height: Int(height) + 1,
      memory: memory == 0 ? 0 : memory + header
    )
  }

  /// What an array, an object or a long text takes before its contents.
  static let header = 32

  /// The memory of a text of so many bytes: none if it is short enough to stand in its place.
  static func memory(ofText count: Int) -> Int { count > 15 ? header + count : 0 }

  /// The memory of so many bytes that are not decoded, in whole units.
  static func memory(ofRaw count: Int) -> Int { (header + count + 15) & ~15 }

  /// Throws if a closure may not make a value of this extent.
  func check() throws(EvaluationError) {
    guard bytes <= Self.mostBytes else { throw .tooLarge }
    guard height <= Self.mostHeight else {
      throw .fault("a value can be nested at most \(Self.mostHeight) deep")
    }
  }
}

extension Value {
  var extent: Extent {
    switch self {
    case .null, .bool: Extent(bytes: 4, height: 0)
    case .int, .uint: Extent(bytes: 1, height: 0)
    case .double: Extent(bytes: 3, height: 0)
    case .string(let text):
      Extent(
        bytes: text.utf8.count + 2,
        height: 0,
        memory: Extent.memory(ofText: text.utf8.count)
      )
    case .number(let number):
      Extent(
        bytes: number.text.utf8.count,
        height: 0,
        memory: Extent.memory(ofText: number.text.utf8.count)
      )
    case .array(let array): array.extent
    case .object(let object): object.extent
    case .raw(let raw):
      Extent(
        bytes: raw.bytes.count,
        height: Int(raw.height),
        memory: Extent.memory(ofRaw: raw.bytes.count)
      )
    }
  }

  /// The bytes that the value takes in memory, with its place where it is kept: its real size, which
  /// may be many times that of its text.
  public var footprint: Int {
    switch self {
    case .null, .bool, .int, .uint, .double: Extent.header
    case .raw(let raw): Extent.header + Extent.memory(ofRaw: raw.bytes.count)
    default: Extent.header + extent.memory
    }
  }

  /// Throws if this is too large to be published.
  func checkSize() throws(EvaluationError) {
    // A byte takes at most six as JSON, so most values need not be written to be measured.
    guard extent.bytes > Extent.mostBytes / 12 else { return }
    if case .raw = self { return }
    guard unsafe withBytes(unsafe \.count) <= Extent.mostBytes else { throw .tooLarge }
  }
}

extension EvaluationError {
  static var tooLarge: EvaluationError { .fault("a value can have at most 1 MiB") }
}
