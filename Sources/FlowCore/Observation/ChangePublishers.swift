@_spi(Reflection) import Swift

/// Knows the publisher of each object that did not write its own.
///
/// The object's `@Published` properties hold the publisher. If there are none its subscribers
/// do: without subscribers nobody can tell a new one from the old. So this table holds neither
/// objects nor publishers, and nothing outlives its object for it.
final class ChangePublishers: @unchecked Sendable {  // the lock guards the entries
  static let shared = ChangePublishers()

  private struct Entry {
    weak var object: AnyObject?
    weak var publisher: ObservableObjectPublisher?
  }

  private let lock = Lock()
  private var entries: [ObjectIdentifier: Entry] = [:]
  /// How many entries are let in before dead ones are thrown out.
  private var limit = 64

  func publisher(for object: AnyObject) -> ObservableObjectPublisher {
    let id = ObjectIdentifier(object)
    if let publisher = lock.withLock({ known(id, object) }) { return publisher }
    let properties = Self.publishedProperties(of: object)
    let new = properties.lazy.compactMap { $0.changes }.first ?? ObservableObjectPublisher()
    let (publisher, seen) = lock.withLock {
      if let publisher = known(id, object) { return (publisher, [] as [AnyObject?]) }
      let seen = forgetTheDead()
      entries[id] = Entry(object: object, publisher: new)
      return (new, seen)
    }
    withExtendedLifetime(seen) {}
    for property in properties { property.changes = publisher }
    return publisher
  }

  /// Another object may have had the same address.
  private func known(_ id: ObjectIdentifier, _ object: AnyObject) -> ObservableObjectPublisher? {
    guard let entry = entries[id], entry.object === object else { return nil }
    return entry.publisher
  }

  /// Returns what it has looked at, so that nothing that dies meanwhile does so under the lock.
  private func forgetTheDead() -> [AnyObject?] {
    guard entries.count >= limit else { return [] }
    var seen: [AnyObject?] = []
    entries = entries.filter {
      let (object, publisher) = ($0.value.object, $0.value.publisher)
      seen += [object, publisher]
      return object != nil && publisher != nil
    }
    limit = max(64, entries.count * 2)
    return seen
  }

  /// Finds the stored properties as they are declared, superclasses' first.
  ///
  /// A `Mirror` would show only what an object that is `CustomReflectable` wants to be seen.
  private static func publishedProperties(of object: AnyObject) -> [any ChangingProperty] {
    var properties: [any ChangingProperty] = []
    // memory 9
    let start = unsafe UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
    let inClasses = _EachFieldOptions(rawValue: 1)
    _ = unsafe _forEachField(of: type(of: object), options: inClasses) { _, offset, type, _ in
      if let published = type as? any PublishedProperty.Type {
        unsafe properties.append(published.property(at: start + offset))
      }
      return true
    }
    return properties
  }
}

/// What holds a published property's value, and tells before that changes.
protocol ChangingProperty: AnyObject {
  /// What is told; none before anybody has asked for it.
  var changes: ObservableObjectPublisher? { get set }
}

/// `Published`, whatever the value.
protocol PublishedProperty {
  /// Reads it where it is stored.
  static func property(at pointer: UnsafeRawPointer) -> any ChangingProperty
}
