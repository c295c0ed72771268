/// The stable words of the protocol's errors; the text beside them may change, they may not.
///
/// A `FAIL` may also carry a word of a client's own, which is why lines hold codes as text.
public enum ErrorCode: String, Sendable, CaseIterable {
  // `ERR`: one command was refused, everything else lives on.
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

  // `FAIL`: one stream ended.
  case badDemand = "bad-demand"
  case upstream
  case tooSlow = "too-slow"
  case timeout
  case deleted
  case publisherLost = "publisher-lost"
  case workerLost = "worker-lost"
  case stage

  // `CANCEL`: a publication ended, as it does with `completed`, `deleted`, `draining` and `killed`.
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
  /// What is said of an unknown name that resembles no other.
  public static let namesAreListed = "LIST lists the names"
}
