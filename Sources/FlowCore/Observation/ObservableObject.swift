/// An object that announces its changes.
///
///     final class Counter: ObservableObject { @Published var count = 0 }
///     let counter = Counter()
///
///     counter.count =             1--2-----3
///     counter.objectWillChange    ()-()----()
///
/// `objectWillChange` need not be written: the default one announces each change of a property that
/// is marked `@Published`, in this class or in those it inherits from. A change may also be
/// announced by hand: `objectWillChange.send()`.
public protocol ObservableObject: AnyObject {
  /// What tells.
  associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
  where ObjectWillChangePublisher.Failure == Never

  /// Publishes before the object changes.
  var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
  /// Publishes before a property that is marked `@Published` changes.
  ///
  /// It is the same publisher each time, for as long as anyone has use for it.
  public var objectWillChange: ObservableObjectPublisher {
    ChangePublishers.shared.publisher(for: self)
  }
}
