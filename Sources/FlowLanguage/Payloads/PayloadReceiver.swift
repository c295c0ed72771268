public import FlowCore

// Values come from their subjects as payloads, many in one read. A stage that does not keep what it
// is given needs no `Value` of its own of each, and one that does not look inside need not see them
// one by one. So where all subscribers from a subject down to the host's take payloads, the subject
// hands them those, and nothing else about the pipeline changes.
//
// Payloads that come in together go to one subscriber after the other, all of them to each. Where two
// ways lead from a subject to one place, that place would see another order than of single values. So
// whatever several ways may lead to is looked for before payloads go there together.

/// Payloads that have come in together, by their places in a batch of the host's.
@safe  // memory 8
public struct Payloads {
  /// Their places.
  public let places: Range<Int>
  /// No payload of the batch has more bytes.
  public let largest: Int
  /// All payloads of the batch, by their places.
  private let all: UnsafePointer<UnsafeRawBufferPointer>

  /// The payloads at `places` of `all`, with at most `largest` bytes each.
  public init(
    _ places: Range<Int>,
    of all: UnsafePointer<UnsafeRawBufferPointer>,
    largest: Int
  ) {
    self.places = places
    self.largest = largest
    unsafe self.all = unsafe all
  }

  /// Some of them.
  func at(_ places: Range<Int>) -> Payloads { unsafe Payloads(places, of: all, largest: largest) }

  /// The payload at one of the places.
  subscript(place: Int) -> UnsafeRawBufferPointer { unsafe all[place] }
}

/// Where a way of payloads leads.
public enum PayloadReach {
  /// To nothing that another way from the same subject leads to.
  case alone
  /// To what other ways may lead to as well.
  case shared
  /// Maybe to the subject once more, in the middle of the payloads.
  case anywhere
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

  /// Where it leads.
  var reach: PayloadReach { get }

  /// Whether no other way leads to all that it leads to, as far as this search has come.
  ///
  /// Asked where it leads to what is `shared`. That remembers the number of the search that has found
  /// it: who finds it once more has come another way.
  func isOnlyWay(in search: Int) -> Bool
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
