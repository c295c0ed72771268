package import FlowWire

/// Who takes the values that come to a subject to where they are kept, and says when they are.
///
/// It is the subject's one subscription, and tells the `sender` of each value what became of it.
package protocol ValueKeeper: AnyObject {
  /// A publisher was added, or a value waits: the grants have to be up to date.
  func publisherWaits()
}

/// Who has sent values that are to be kept.
package protocol ValueSender: AnyObject {
  /// The oldest `count` of its values are kept, the last of them at this place, if that is known.
  func kept(_ count: Int, at sequence: UInt64?)
  /// Of the oldest `count` of its values it is not known, or they are not kept.
  func notKept(_ count: Int, _ reason: ErrorCode)
}
