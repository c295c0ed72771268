/// The pieces of a body whose length is not known when it begins: `Transfer-Encoding: chunked`.
package enum Chunk {
  /// Appends a piece; nothing if there are no bytes, since an empty chunk ends the body.
  package static func write(_ payload: some Collection<UInt8>, into bytes: inout [UInt8]) {
    guard !payload.isEmpty else { return }
    bytes += String(payload.count, radix: 16).utf8
    bytes += "\r\n".utf8
    bytes += payload
    bytes += "\r\n".utf8
  }

  /// Appends the end of the body.
  package static func writeLast(into bytes: inout [UInt8]) { bytes += "0\r\n\r\n".utf8 }
}
