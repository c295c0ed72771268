import FlowTransport
import Glibc

/// A file that is to be written once the definitions of all names in it are known.
struct Saving {
  /// Marks the questions about those names.
  static let tag = "_save"

  let path: String
  let replaces: Bool
  /// The name that the server was asked about last.
  var asked = ""
  /// The names whose definition the server did not tell.
  var refused: Set<String> = []

  init(path: String, replaces: Bool) {
    self.path = path
    self.replaces = replaces
  }

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
