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
  /// In the order in which they came; some of them have left.
  private var readers: [Reader] = []
  private var gone = 0

  private final class Reader {
    let set: SubjectSet
    /// Nothing once it has left.
    var join: ((String) -> Void)?

    init(_ set: SubjectSet, _ join: @escaping (String) -> Void) {
      self.set = set
      self.join = join
    }
  }

  public init() {}

  /// Calls `join` with the name of each subject of `set` that is made until the result is cancelled.
  public func add(_ set: SubjectSet, _ join: @escaping (String) -> Void) -> AnyCancellable {
    let reader = Reader(set, join)
    readers.append(reader)
    return AnyCancellable { [weak self] in
      reader.join = nil
      self?.oneHasLeft()
    }
  }

  /// Takes those out that have left when they are half of all, so that leaving costs the same however
  /// many there are.
  private func oneHasLeft() {
    gone += 1
    guard gone * 2 > readers.count else { return }
    readers.removeAll { $0.join == nil }
    gone = 0
  }

  /// A subject called `name` has been made.
  public func isMade(_ name: String) {
    for reader in readers {
      guard let join = reader.join, reader.set.contains(name) else { continue }
      join(name)
    }
  }
}
