/// A repeating action that an operator has started on a scheduler.
public class _Timer: Cancellable {
  private let cancellable: (any Cancellable)?

  /// Makes a timer that `cancellable` ends.
  @usableFromInline
  init(_ cancellable: (any Cancellable)? = nil) { self.cancellable = cancellable }

  /// Ends the action.
  public func cancel() { cancellable?.cancel() }
}
