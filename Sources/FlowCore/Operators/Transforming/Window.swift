extension Publisher {
  /// Collects values into arrays that overlap: the last `count` each time `step` more have come.
  ///
  ///     source                 --1--2--3------4------|
  ///     window(3, every: 1)    --------[123]--[234]--|
  ///
  /// Only full windows are published: what is left at the end is left out. One more value is
  /// requested for each that completes no window. It keeps `count` values at most; with a `step`
  /// above `count` those between two windows are left out.
  @inlinable
  @_disfavoredOverload
  public func window(_ count: Int, every step: Int) -> Publishers.Window<Self> {
    Publishers.Window(upstream: self, count: count, step: step)
  }
}

extension Publishers {
  /// See `window(_:every:)`.
  public struct Window<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream
    /// How many values there are in each array, 1 or more.
    public let count: Int
    /// How many values come from the first of one array to the first of the next, 1 or more.
    public let step: Int

    /// Creates a publisher of arrays of `count` values of `upstream`, one for each `step` values.
    @inlinable
    public init(upstream: Upstream, count: Int, step: Int) {
      precondition(count > 0, "count is \(count), expected 1 or more")
      precondition(step > 0, "step is \(step), expected 1 or more")
      self.upstream = upstream
      self.count = count
      self.step = step
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let (count, step) = (count, step)
      upstream.receive(through: "Window", subscriber, WindowState<Upstream.Output>()) {
        state,
        input in
        state.take(input, count, step).map { .emit($0) } ?? .skip
      }
    }
  }
}

extension Publishers.Window: Equatable where Upstream: Equatable {}

/// The values of the windows that are not full yet.
@usableFromInline
struct WindowState<Value> {
  private var values = Fifo<Value>()
  /// How many values go by before the next window begins.
  private var skipped = 0

  @usableFromInline
  init() {}

  /// Takes a value; returns those of the window that it completes.
  @usableFromInline
  mutating func take(_ value: Value, _ count: Int, _ step: Int) -> [Value]? {
    guard skipped == 0 else {
      skipped -= 1
      return nil
    }
    values.append(value)
    guard values.count == count else { return nil }
    let window = Array(values.elements)
    if step < count {
      for _ in 0..<step { _ = values.popFirst() }
    } else {
      values.takeAll().letGo()
      skipped = step - count
    }
    return window
  }
}
