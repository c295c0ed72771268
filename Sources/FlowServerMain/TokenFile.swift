import FlowServer
import FlowTransport

/// The file with the tokens that clients have to say.
struct TokenFile: Sendable {
  let path: String
  let platform: any Platform

  /// Its tokens, of which there is at least one, unless a line `# empty` says that none is meant.
  func read() throws(StartError) -> [Token] {
    let text = try platform.text(ofFile: path)
    do throws(ConfigurationError) {
      return try Token.all(in: text, file: path)
    } catch {
      throw StartError(.badConfiguration, error.description)
    }
  }

  /// What is to be said of who can read it.
  var warning: String? {
    platform.isReadableByOthers(path)
      ? "warning: \(path) is readable by others; run chmod 600 \(path)" : nil
  }
}

/// The file that says who the server is to NATS.
struct NATSLoginFile: Sendable {
  let path: String
  let platform: any Platform

  func read() throws(StartError) -> NATSCredentials {
    let text = try platform.text(ofFile: path)
    do throws(ConfigurationError) {
      return try NATSCredentials(in: text, file: path)
    } catch {
      throw StartError(.badConfiguration, error.description)
    }
  }

  /// What is to be said of who can read it.
  var warning: String? {
    platform.isReadableByOthers(path)
      ? "warning: \(path) is readable by others; run chmod 600 \(path)" : nil
  }
}
