import FlowTransport
package import FlowWire

/// Why the server refused, why a stream failed, or why the connection is gone.
public enum RemoteError: Error, Equatable, Sendable {
  /// The server refused a command with `ERR CODE TEXT`, or the command was not sent because it would.
  case refused(code: String, text: String)
  /// A stream failed: `FAIL ID CODE TEXT`, or a `CANCEL` of the server with its reason.
  case failed(code: String, text: String)
  /// The server said goodbye: `BYE CODE TEXT`.
  case goodbye(code: String, text: String)
  /// The server cannot be reached.
  case unreachable(String)
  /// The connection ended without a word.
  case lost(String)
  /// The server did not answer in time.
  case unresponsive(String)
  /// The server does not follow the protocol.
  case protocolBroken(String)
  /// A payload is not what was expected; it is shown shortened.
  case undecodable(payload: String, reason: String)
  /// A value cannot be encoded.
  case unencodable(reason: String)
  /// The waiting task was cancelled; the server may still carry out what the task has sent.
  case taskCancelled
  /// The connection was closed here.
  case closed

  /// A stable word: the one of the protocol, or what a `FAIL` brought, or one for the case.
  ///
  /// It is what goes out in a `FAIL` when a publisher fails with this error.
  public var code: String {
    switch self {
    case .refused(let code, _), .failed(let code, _), .goodbye(let code, _): code
    case .unreachable: "unreachable"
    case .lost: "lost"
    case .unresponsive: ErrorCode.timeout.rawValue
    case .protocolBroken: "protocol"
    case .undecodable: "undecodable"
    case .unencodable: "unencodable"
    case .taskCancelled: "cancelled"
    case .closed: "closed"
    }
  }

  /// The reason, for people.
  public var text: String {
    switch self {
    case .refused(_, let text), .failed(_, let text), .goodbye(_, let text): text
    case .unreachable(let text), .lost(let text), .unresponsive(let text): text
    case .protocolBroken(let text): text
    case .undecodable(let payload, let reason): "payload is \(payload): \(reason)"
    case .unencodable(let reason): reason
    case .taskCancelled: "the task was cancelled"
    case .closed: "closed by this side"
    }
  }
}

extension RemoteError: CustomStringConvertible {
  /// The code, and the text behind it if there is one.
  public var description: String { text.isEmpty ? code : "\(code) \(text)" }
}

extension RemoteError {
  /// Converts a failure for a `FAIL`: a `RemoteError` stays, any other has the code `upstream`.
  init(failure: any Error) {
    self = failure as? RemoteError ?? .failed(code: ErrorCode.upstream.rawValue, text: "\(failure)")
  }

  /// A stream that the server ended of itself, with a reason or without.
  package static func cancelled(_ stream: String, reason: String?) -> Self {
    .failed(code: reason ?? "cancelled", text: "the server ended the \(stream)")
  }

  /// The server asks for a token, and there is none.
  package static var needsToken: Self {
    .refused(code: ErrorCode.denied.rawValue, text: "the server requires a token")
  }

  /// The code, if it is one of the protocol's own.
  package var errorCode: ErrorCode? { ErrorCode(rawValue: code) }

  /// Whether another connection may do better.
  package var mayPass: Bool {
    switch self {
    case .lost, .unreachable, .unresponsive: true
    case .goodbye: [.shutdown, .idle, .limit, .overflow, .errors].contains(errorCode)
    default: false
    }
  }
}
