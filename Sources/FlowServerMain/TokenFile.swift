import FlowServer
import FlowTransport

/// A file with secrets, which only its owner should be able to read.
protocol SecretFile: Sendable {
  associatedtype Content

  var path: String { get }
  var platform: any Platform { get }

  static func content(of text: String, file: String) throws(ConfigurationError) -> Content
}

extension SecretFile {
  func read(mayWait: Bool = true) throws(StartError) -> Content {
    let text = try platform.text(ofFile: path, mayWait: mayWait)
    do throws(ConfigurationError) {
      return try Self.content(of: text, file: path)
    } catch {
      throw StartError(.badConfiguration, error.description)
    }
  }

  /// Says so if others can read it.
  func warn(_ log: ServerLog) {
    guard platform.isReadableByOthers(path) else { return }
    let text = "\(path) is readable by others; run chmod 600 \(path)"
    log.log(.warning, "readable-by-others", text, [.text("file", path)])
  }
}

/// The file with the tokens that clients have to say.
struct TokenFile: SecretFile {
  let path: String
  let platform: any Platform

  /// Its tokens, of which there is at least one, unless a line `# empty` says that none is meant.
  static func content(of text: String, file: String) throws(ConfigurationError) -> [Token] {
    try Token.all(in: text, file: file)
  }
}

/// The file that says who the server is to NATS.
struct NATSLoginFile: SecretFile {
  let path: String
  let platform: any Platform

  static func content(of text: String, file: String) throws(ConfigurationError) -> NATSCredentials {
    try NATSCredentials(in: text, file: file)
  }
}
