import FlowTransport
package import FlowWire

/// Why the server refused a command, a stream failed, or the connection ended.
public enum RemoteError: Error, Equatable, Sendable {
  /// The server refused a command with `ERR CODE TEXT`, or the client did not send it for that
  /// reason.
  case refused(code: String, text: String)
  /// A stream failed by `FAIL ID CODE TEXT`, or the server cancelled it with a reason.
  case failed(code: String, text: String)
  /// The server ended the connection with `BYE CODE TEXT`.
  case goodbye(code: String, text: String)
  /// The server cannot be reached.
  case unreachable(String)
  /// The connection ended without a `BYE`.
  case lost(String)
  /// The server did not answer in time.
  case unresponsive(String)
  /// The server violated the protocol.
  case protocolBroken(String)
  /// A payload has an unexpected form; `payload` is shortened.
  case undecodable(payload: String, reason: String)
  /// A value cannot be encoded.
  case unencodable(reason: String)
  /// The waiting task was cancelled; the server may still carry out its command.
  case taskCancelled
  /// This client closed the connection.
  case closed

  /// The code of the protocol, the code of a `FAIL`, or a stable word for the case.
  ///
  /// A publisher that fails with this error sends it in a `FAIL`.
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

  /// The reason, as text for people.
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
  /// The code, followed by the text if there is one.
  public var description: String { text.isEmpty ? code : "\(code) \(text)" }
}

extension RemoteError {
  /// Converts a publisher's failure: a `RemoteError` stays, any other gets the code `upstream`.
  init(failure: any Error) {
    self = failure as? RemoteError ?? .failed(code: ErrorCode.upstream.rawValue, text: "\(failure)")
  }

  package static func cancelled(_ stream: String, reason: String?) -> Self {
    .failed(code: reason ?? "cancelled", text: "the server ended the \(stream)")
  }

  /// The error if the server requires a token and there is none.
  package static var needsToken: Self {
    .refused(code: ErrorCode.denied.rawValue, text: "the server requires a token")
  }

  /// The code, if the protocol defines it.
  package var errorCode: ErrorCode? { ErrorCode(rawValue: code) }

  /// Whether another attempt may succeed.
  package var mayPass: Bool {
    switch self {
    case .lost, .unreachable, .unresponsive: true
    case .goodbye: [.shutdown, .idle, .limit, .overflow, .errors].contains(errorCode)
    default: false
    }
  }
}
