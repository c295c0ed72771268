import FlowRemote
import FlowTestSupport

/// What becomes of a publication, and what to do when values may be sent.
final class PublicationEvents: RemotePublicationHandler, Sendable {
  let ended = Arrivals<RemoteError>()
  private let mayContinue: @Sendable (RemotePublication) -> Void

  init(_ mayContinue: @escaping @Sendable (RemotePublication) -> Void = { _ in }) {
    self.mayContinue = mayContinue
  }

  func publicationMayContinue(_ p: RemotePublication) { mayContinue(p) }

  func publication(_ p: RemotePublication, ended error: RemoteError) { ended.add(error) }
}

extension Result {
  var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
