import FlowTransport
import Glibc

/// A file to write once all definitions in it are known.
struct Saving {
  /// The tag of the questions about names.
  static let tag = "_save"

  let path: String
  let replaces: Bool
  /// The name last asked about.
  var asked = ""
  /// Names whose definition the server does not return.
  var refused: Set<String> = []

  func write(_ text: String, _ platform: any Platform) throws(ClientError) {
    do throws(TransportError) {
      if replaces { return try platform.replaceFile(path, with: Array(text.utf8)) }
      try create(text)
    } catch {
      let isThere = error.errno == EEXIST
      let reason = isThere ? "\(path) is there already; :save! replaces it" : error.message
      throw ClientError(.cannotWrite, reason)
    }
  }

  private func create(_ text: String) throws(TransportError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o644)
    guard descriptor >= 0 else { throw TransportError("write \(path)", errno) }
    defer { close(descriptor) }
    guard SystemPlatform.write(Array(text.utf8)[...], to: descriptor) else {
      throw TransportError("write \(path)", errno)
    }
  }
}
