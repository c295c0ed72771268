internal import FlowTransport

/// The version of the server, as the greeting tells it.
public let flowVersion = "0.1.0"

extension UnsafeRawBufferPointer {
  /// Whether the octets look like the first line of an HTTP request.
  var endsWithHTTPVersion: Bool {
    suffix(8).elementsEqual("HTTP/1.1".utf8) || suffix(8).elementsEqual("HTTP/1.0".utf8)
      || suffix(8).elementsEqual("HTTP/2.0".utf8)
  }
}
