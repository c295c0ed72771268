import FlowServer
import FlowTransport

/// The `.flow` files of the server, and the demo's definitions.
struct DefinitionFiles: Sendable {
  private let files: [String]
  private let demo: String?
  /// The name of the demo's definitions in reports.
  private static let demoName = "(demo)"

  init(_ files: [String], demo: String? = nil) {
    self.files = files
    self.demo = demo
  }

  struct Reading {
    /// The changes, as lines for people.
    var changes: [String] = []
    /// All files that were read, including included ones.
    var files: [String] = []
    /// The files that were not empty.
    var filled: Set<String> = []
  }

  /// Reads all files and makes `server` match.
  ///
  /// A file that has become empty is an error, because an editor may have truncated it; a line `#
  /// empty` allows it. A file may be a pipe only if `mayWait`, as at the start.
  @discardableResult
  func load(
    into server: Server,
    from platform: any Platform = SystemPlatform.shared,
    after last: Reading = Reading(),
    mayWait: Bool = true
  ) throws(StartError) -> Reading {
    let names = (demo == nil ? [] : [Self.demoName]) + files
    var reading = Reading()
    do {
      reading.changes = try server.load(names) { name throws(StartError) in
        if let demo, name == Self.demoName { return demo }
        let text = try platform.text(ofFile: name, mayWait: mayWait)
        let lines = text.split(whereSeparator: \.isNewline).map { $0.split { $0.isWhitespace } }
        if lines.contains(where: { $0.first.map { !$0.hasPrefix("#") } ?? false }) {
          reading.filled.insert(name)
        } else if last.filled.contains(name), !lines.contains(["#", "empty"]) {
          let message = "\(name) is empty now; if that is intended, write \"# empty\" in it"
          throw StartError(.badConfiguration, message)
        }
        reading.files.append(name)
        return text
      }
      return reading
    } catch let error as StartError {
      throw error
    } catch let error as ConfigurationError {
      let count = error.reports.count == 1 ? "1 error" : "\(error.reports.count) errors"
      throw StartError(
        .badConfiguration,
        "\(count) in the files",
        advice: "\(error)",
        mistakes: error.reports.map { String($0.prefix { !$0.isNewline }) }
      )
    } catch {
      throw StartError(.badConfiguration, "\(error)")
    }
  }
}
