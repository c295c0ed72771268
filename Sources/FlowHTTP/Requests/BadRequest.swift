/// Why a request is refused, and with which status.
struct BadRequest: Error, Equatable, Sendable {
  let status: Int
  let reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  /// A request that does not follow RFC 9112.
  init(_ reason: String) { self.init(400, reason) }
}
