/// Why a request is refused, and the status to answer with.
struct BadRequest: Error, Equatable, Sendable {
  let status: Int
  let reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  /// Refuses a request that violates RFC 9112.
  init(_ reason: String) { self.init(400, reason) }
}
