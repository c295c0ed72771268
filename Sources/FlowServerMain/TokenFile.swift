import FlowServer

/// The file with the tokens that clients have to say.
struct TokenFile: Sendable {
  let path: String

  /// Its tokens, of which there is at least one, unless a line `# empty` says that none is meant.
  func read() throws(StartError) -> [Token] {
    let text = try Files.read(path)
    do throws(ConfigurationError) {
      return try Token.all(in: text, file: path)
    } catch {
      throw StartError(.badConfiguration, error.description)
    }
  }

  /// What is to be said of who can read it.
  var warning: String? {
    Files.isReadableByOthers(path)
      ? "warning: others can read \(path); chmod 600 \(path)" : nil
  }
}
