public import FlowCore
internal import Spelling

/// The subjects whose names fit a pattern, of those that whoever wrote it may read.
public struct SubjectSet {
  /// The pattern as written.
  public let text: String
  private let pattern: NamePattern
  private let mayRead: ((String) -> Bool)?

  /// Reads a pattern; `nil` if `text` is none, or a single name.
  ///
  /// Whoever wrote it may read the names of which `mayRead` is true; all if there is none.
  public init?(_ text: String, where mayRead: ((String) -> Bool)? = nil) {
    guard NamePattern.isPattern(text) else { return nil }
    self.init(ofNew: text, where: mayRead)
  }

  /// The same, which may also be one subject.
  init?(ofNew text: String, where mayRead: ((String) -> Bool)?) {
    guard !text.hasPrefix("$"), let pattern = NamePattern(text) else { return nil }
    self.text = text
    self.pattern = pattern
    self.mayRead = mayRead
  }

  /// Whether a subject called `name` belongs to it.
  public func contains(_ name: String) -> Bool { pattern.fits(name) && mayRead?(name) != false }
}

/// Those who read patterns: they are told of each subject that is made.
///
/// A pattern is compared with a name when one of the two is new, and never when a value comes.
public final class SubjectSetReaders {
  /// By number, in the order in which they came.
  private var readers: [Int: Reader] = [:]
  private var last = 0

  private struct Reader {
    let set: SubjectSet
    let join: (String) -> Void
  }

  public init() {}

  /// Calls `join` with the name of each subject of `set` that is made until the result is cancelled.
  public func add(_ set: SubjectSet, _ join: @escaping (String) -> Void) -> AnyCancellable {
    last += 1
    readers[last] = Reader(set: set, join: join)
    return AnyCancellable { [weak self, number = last] in self?.readers[number] = nil }
  }

  /// A subject called `name` has been made.
  public func isMade(_ name: String) {
    guard !readers.isEmpty else { return }
    for number in readers.keys.sorted() {
      guard let reader = readers[number], reader.set.contains(name) else { continue }
      reader.join(name)
    }
  }
}
