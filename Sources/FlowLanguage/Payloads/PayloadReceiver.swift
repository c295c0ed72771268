public import FlowCore

// Values come from their subjects as payloads, many in one read. A stage that does not keep what it
// is given needs no `Value` of its own of each, and one that does not look inside need not see them
// one by one. So where all subscribers from a subject down to the host's take payloads, the subject
// hands them those, and nothing else about the pipeline changes.

/// Payloads that have come in together, by their places in a batch of the host's.
public struct Payloads {
  /// Their places.
  public let places: Range<Int>
  /// No payload of the batch has more bytes.
  public let largest: Int

  /// The payloads at `places`, with at most `largest` bytes each.
  public init(_ places: Range<Int>, largest: Int) {
    self.places = places
    self.largest = largest
  }
}

/// A subscriber that takes payloads, too.
public protocol PayloadReceiver: AnyObject {
  /// How many payloads of up to `largest` bytes it takes at once; 0 if only one after the other.
  ///
  /// It does not end before it has taken so many. It has asked for all of them, or asks again for
  /// each as soon as it has taken it.
  func room(for largest: Int) -> Int

  /// Takes payloads for all of which there is room; returns how many more are wanted.
  func receive(_ payloads: Payloads) -> Subscribers.Demand

  /// Takes one payload, which is valid until this returns.
  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand
}

/// A subscription that may hand payloads to its subscriber instead of values.
public protocol PayloadSource: Subscription {
  /// Lets `receiver` have payloads, if it is the very subscriber and payloads come to this one.
  ///
  /// Some subscribers hand their subscription on to the next as it is, so who calls this may be
  /// another one. It is called when that is given the subscription.
  func handPayloads(to receiver: any PayloadReceiver)
}

extension Subscription {
  /// Lets `receiver`, which has just been given this subscription, have payloads if there are any.
  public func mayHandPayloads(to receiver: any PayloadReceiver) {
    (self as? any PayloadSource)?.handPayloads(to: receiver)
  }
}
