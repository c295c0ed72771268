import FlowServer
import FlowTransport

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

  /// Warns if others can read it.
  func warn(_ log: ServerLog) {
    guard platform.isReadableByOthers(path) else { return }
    let text = "\(path) is readable by others; run chmod 600 \(path)"
    log.log(.warning, "readable-by-others", text, [.text("file", path)])
  }
}

struct TokenFile: SecretFile {
  let path: String
  let platform: any Platform

  /// Parses the tokens; none is an error unless a line `# empty` allows it.
  static func content(of text: String, file: String) throws(ConfigurationError) -> [Token] {
    try Token.all(in: text, file: file)
  }
}

/// The file with the server's login to NATS.
struct NATSLoginFile: SecretFile {
  let path: String
  let platform: any Platform

  static func content(of text: String, file: String) throws(ConfigurationError) -> NATSCredentials {
    try NATSCredentials(in: text, file: file)
  }
}
