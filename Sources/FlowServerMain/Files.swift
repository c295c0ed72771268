import FlowTransport

extension Platform {
  /// Reads a file of UTF-8 without its byte order mark; a pipe only if `mayWait`.
  func text(ofFile path: String, mayWait: Bool) throws(StartError) -> String {
    var bytes: [UInt8]
    do throws(TransportError) {
      bytes = try contents(ofFile: path, mayWait: mayWait)
    } catch {
      throw StartError(.cannotRead, "cannot read \(path): \(error.message)")
    }
    if bytes.starts(with: "\u{FEFF}".utf8) { bytes.removeFirst(3) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StartError(.badConfiguration, "\(path) is not UTF-8 text")
    }
    return text
  }

  /// Replaces the file atomically: a reader finds either the old or the new text.
  func replaceFile(_ path: String, with text: String) throws(StartError) {
    do throws(TransportError) {
      try replaceFile(path, with: Array(text.utf8))
    } catch {
      throw StartError(.cannotCreate, "cannot write \(path): \(error.message)")
    }
  }
}
