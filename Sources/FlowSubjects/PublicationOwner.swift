package import FlowWire

/// A publisher: a client or a run.
package protocol PublicationOwner: AnyObject {
  /// The account that pays for waiting values, if the owner is a connection.
  var account: Account? { get }
  /// Allows `count` more values.
  func publication(_ publication: Publication, isGranted count: Int)
  /// Reports `count` values that were dropped because they came without a grant.
  func publication(_ publication: Publication, dropped count: Int)
  /// Reports that the subject ended the publication.
  func publication(_ publication: Publication, isCancelledFor reason: ErrorCode)
  /// Reports that a held value has gone out.
  func publicationHasCredit(_ publication: Publication)
  /// Forgets a publication that is over.
  func forget(_ publication: Publication)
}
