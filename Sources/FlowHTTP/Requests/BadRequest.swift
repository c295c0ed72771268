/// Why a request is refused, and with which status.
struct BadRequest: Error, Equatable, Sendable {
  let status: Int
  let reason: String

  init(_ status: Int, _ reason: String) {
    self.status = status
    self.reason = reason
  }

  /// What is not HTTP as RFC 9112 has it.
  init(_ reason: String) { self.init(400, reason) }
}
