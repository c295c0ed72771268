/// Something that can be ended before its time.
public protocol Cancellable {
  /// Ends the activity. Calling it again does nothing; it may be called from any thread.
  func cancel()
}

extension Cancellable {
  /// Keeps this cancellable in `collection`.
  public func store<C: RangeReplaceableCollection>(in collection: inout C)
  where C.Element == AnyCancellable {
    collection.append(AnyCancellable(self))
  }

  /// Keeps this cancellable in `set`.
  public func store(in set: inout Set<AnyCancellable>) {
    set.insert(AnyCancellable(self))
  }
}
