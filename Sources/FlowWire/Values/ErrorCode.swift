/// The codes of the protocol's errors, which are stable; their texts may change.
///
/// A client's `FAIL` may carry a code of its own, so lines hold codes as text.
public enum ErrorCode: String, Sendable, CaseIterable {
  // `ERR`: a command was refused; streams and connection continue.
  case unknownCommand = "unknown-command"
  case usage
  case unknownName = "unknown-name"
  case unknownStream = "unknown-stream"
  case idInUse = "id-in-use"
  case syntax
  case lineTooLong = "line-too-long"
  case valueTooLong = "value-too-long"
  case denied
  case limit
  case version
  case draining
  case exists
  case completed
  case noDemand = "no-demand"
  case cycle
  case away

  // `FAIL`: a stream ended.
  case badDemand = "bad-demand"
  case upstream
  case tooSlow = "too-slow"
  case timeout
  case deleted
  case publisherLost = "publisher-lost"
  case workerLost = "worker-lost"
  case stage

  // `CANCEL`: a publication ended; other reasons are `completed`, `deleted`, `draining`, `killed`.
  case overrun

  // `BYE`: the connection ends.
  case framing
  case auth
  case revoked
  case killed
  case idle
  case overflow
  case errors
  case http
  case tls
  case shutdown
  case quit
}

extension ErrorCode {
  /// The hint for an unknown name that resembles no other.
  public static let namesAreListed = "LIST lists the names"
}
