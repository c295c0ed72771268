/// Publishes a property of a class before each change.
///
///     @Published var count = 0
///
///     count =    1--2--3
///     $count     0-1--2--3
///
/// A new subscriber is sent the present value first. The property still has its old value while
/// the new one is sent; what a subscriber sets it to meanwhile is overwritten then.
@propertyWrapper
public struct Published<Value> {
  private let subject: PublishedSubject<Value>

  /// Makes a property with its first value.
  public init(wrappedValue: Value) { subject = PublishedSubject(wrappedValue) }

  /// Makes a property with its first value.
  public init(initialValue: Value) { subject = PublishedSubject(initialValue) }

  /// What `$property` is; it never ends.
  public struct Publisher: FlowCore.Publisher {
    public typealias Output = Value
    public typealias Failure = Never

    let subject: PublishedSubject<Value>

    /// Attaches `subscriber`, which is sent the present value at its first request.
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Value, S.Failure == Never {
      subject.receive(subscriber: subscriber)
    }
  }

  /// The property's publisher; as in Combine, setting it is possible and changes nothing.
  public var projectedValue: Publisher {
    mutating get { Publisher(subject: subject) }
    set {}
  }

  /// Not available: only properties of classes can be `@Published`.
  @available(*, unavailable, message: "@Published is only available on properties of classes")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// Reads and changes the property of an object.
  public static subscript<EnclosingSelf: AnyObject>(
    _enclosingInstance object: EnclosingSelf,
    wrapped wrappedKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Value>,
    storage storageKeyPath: ReferenceWritableKeyPath<EnclosingSelf, Published<Value>>
  ) -> Value {
    get { object[keyPath: storageKeyPath].subject.value }
    set { object[keyPath: storageKeyPath].subject.send(newValue) }
  }
}

extension Published: PublishedProperty {
  static func property(at pointer: UnsafeRawPointer) -> any ChangingProperty {
    unsafe pointer.assumingMemoryBound(to: Published.self).pointee.subject
  }
}

extension Publisher where Failure == Never {
  /// Sets a property to each value, for as long as the property lives.
  ///
  ///     numbers.assign(to: &model.$count)
  ///
  /// Requests everything. The property does not end when this publisher does.
  public func assign(to published: inout Published<Output>.Publisher) {
    let setter = PublishedSetter(published.subject)
    published.subject.add(setter)
    subscribe(setter)
  }
}
