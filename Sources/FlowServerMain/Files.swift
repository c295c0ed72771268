import FlowTransport

/// Files of text.
extension Platform {
  /// The whole of a file, which must be UTF-8, without the mark of its encoding that some editors
  /// begin it with; one that is a pipe only if that `mayWait`.
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

  /// Puts `text` in the place of the file in one step: a reader finds the old or all of the new.
  func replaceFile(_ path: String, with text: String) throws(StartError) {
    do throws(TransportError) {
      try replaceFile(path, with: Array(text.utf8))
    } catch {
      throw StartError(.cannotCreate, "cannot write \(path): \(error.message)")
    }
  }
}
