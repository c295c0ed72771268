package import FlowWire

/// Who publishes: a client, or a run.
package protocol PublicationOwner: AnyObject {
  /// What the values that wait are charged to, if that is a connection.
  var account: Account? { get }
  /// The publication may send so many values more.
  func publication(_ publication: Publication, isGranted count: Int)
  /// So many values were left out, since they came without a grant.
  func publication(_ publication: Publication, dropped count: Int)
  /// The publication has been ended from the subject's side.
  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode)
  /// A value that was held has gone out.
  func publicationHasCredit(_ publication: Publication)
  /// The publication is over.
  func forget(_ publication: Publication)
}
