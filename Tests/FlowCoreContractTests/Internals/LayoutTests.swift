import Testing

@testable import FlowCore

/// Tests the assumptions of `Internals/Layout` with subscribers of many shapes, also in release.
@Suite("Layout")
struct LayoutTests {
  private struct Small: Subscriber {
    let combineIdentifier = CombineIdentifier()
    let factor: UInt8
    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand { .max(input * Int(factor)) }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  /// Its cases use the bits in which an optional would store `nil`.
  private enum Tagged: Subscriber {
    case first(AnyObject), second(AnyObject), third
    var combineIdentifier: CombineIdentifier { CombineIdentifier() }
    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand {
      switch self {
      case .first: .max(input)
      case .second: .max(input * 2)
      case .third: .max(input * 3)
      }
    }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  private final class Object: Subscriber {
    var sum = 0
    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand {
      sum += input
      return .max(sum)
    }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  private struct Large: Subscriber {
    let combineIdentifier = CombineIdentifier()
    let words = (1, "two", [3], 4.0, true, "six", 7, 8)
    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand {
      .max(input + words.0 + words.2[0] + words.7)
    }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  private struct Empty: Subscriber {
    var combineIdentifier: CombineIdentifier { CombineIdentifier() }
    func receive(subscription: any Subscription) {}
    func receive(_ input: Int) -> Subscribers.Demand { .max(input + 1) }
    func receive(completion: Subscribers.Completion<Never>) {}
  }

  private func expectBorrowed<S: Subscriber>(_ subscriber: S, _ count: Int) where S.Input == Int {
    #expect(MemoryLayout<_Borrowed<S>>.size == MemoryLayout<S>.size)
    #expect(MemoryLayout<_Borrowed<S>>.alignment == MemoryLayout<S>.alignment)
    var kept: S? = subscriber
    #expect(withBorrowed(&kept) { $0.receive(2) } == count)
    #expect(kept != nil)
    kept = nil
    withExtendedLifetime(kept) {}
  }

  @Test("a value lies at the beginning of its optional")
  func optional() {
    let object = Object()
    expectBorrowed(Small(factor: 3), 6)
    expectBorrowed(Tagged.first(object), 2)
    expectBorrowed(Tagged.second(object), 4)
    expectBorrowed(Tagged.third, 6)
    expectBorrowed(object, 2)
    expectBorrowed(Large(), 14)
    expectBorrowed(Empty(), 3)
    expectBorrowed(AnySubscriber(object), 4)
    expectBorrowed(AnySubscriber(Large()), 14)
  }

  private func expectRoom<T>(_ value: T, isInPlace: Bool, _ isSame: (T, T) -> Bool) {
    #expect(_Room.holds(T.self) == isInPlace)
    var room = _Room()
    withUnsafeMutablePointer(to: &room) {
      $0.fill(with: value)
      #expect(isSame($0.address(of: T.self).pointee, value))
      $0.empty(of: T.self)
    }
  }

  @Test("a room stores small values in place, and large ones in a block")
  func room() {
    expectRoom(UInt8(7), isInPlace: true, ==)
    expectRoom("in place", isInPlace: true, ==)
    expectRoom((1, 2, 3, 4, 5, 6), isInPlace: true) { $0 == $1 }
    expectRoom(SIMD4<Int32>(1, 2, 3, 4), isInPlace: false, ==)
    expectRoom((1, 2, 3, 4, "a block"), isInPlace: true) { $0 == $1 }
    expectRoom(Large(), isInPlace: false) { $0.words.5 == $1.words.5 }
    weak var gone: Object?
    do {
      let object = Object()
      gone = object
      expectRoom([object], isInPlace: true) { $0[0] === $1[0] }
    }
    #expect(gone == nil)
  }

  private func expectSink<Failure: Error, Ending: _Ending>(
    _ ending: Ending,
    _ failure: Failure.Type
  ) where Ending.Failure == Failure {
    var received: [String] = []
    var room = _Room()
    withUnsafeMutablePointer(to: &room) {
      let link = _SinkLink(AnyCancellable())
      $0.fill(
        with: _SinkSubscriber<String, Failure, Ending>(link, ending) { received.append($0) }
      )
      $0.sendToSink("one")
      $0.sendToSink("a longer text, which takes a reference")
      $0.empty(of: _SinkSubscriber<String, Failure, Ending>.self)
    }
    #expect(_ConduitOf<String, Failure>.isSink(_SinkSubscriber<String, Failure, Ending>.self))
    #expect(received == ["one", "a longer text, which takes a reference"])
  }

  @Test("the closure of a sink lies at the same place for every kind of ending")
  func sink() {
    expectSink(_NoEnding(), Never.self)
    expectSink(_SinkEnding<Never> { _ in }, Never.self)
    expectSink(_SinkEnding<any Error> { _ in }, (any Error).self)
    #expect(!_ConduitOf<Int, Never>.isSink(Object.self))
  }

  private final class Noting: _ControlSubscription {
    var counts: [Int] = []
    init() {
      super.init { object, count in unsafeDowncast(object, to: Noting.self).counts.append(count) }
    }
  }

  @Test("a link works with and without its cancellable")
  func link() {
    let (first, second) = (Noting(), Noting())
    var cancellable: AnyCancellable? = AnyCancellable()
    let link = _SinkLink(cancellable!)
    #expect(link.address == UnsafeRawPointer(Unmanaged.passUnretained(cancellable!).toOpaque()))
    link.start(first)
    #expect(first.counts == [.max])
    link.start(second)
    #expect(second.counts == [-1])
    cancellable = nil
    withExtendedLifetime(cancellable) {}
    #expect(first.counts == [.max, -1])
    #expect(!link.end())
    link.start(second)
    #expect(second.counts == [-1, -1])
  }

  @Test("a reference keeps its object when cast")
  func reference() {
    let object = Object()
    #expect(_reference(object, as: Object.self) === object)
    #expect(_reference(object, as: Object.self).receive(5) == .max(5))
  }

  @Test("the identity of a thread leaves room for two flags in an owner word")
  func threads() async {
    await withTaskGroup(of: UInt.self) { group in
      for _ in 0..<16 { group.addTask { currentThread() } }
      for await thread in group { #expect(thread != 0 && thread & OwnerLock.flags == 0) }
    }
  }
}
