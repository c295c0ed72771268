import FlowServer
import FlowTransport

/// The files that say what the server has, and the samples of the demo.
struct DefinitionFiles: Sendable {
  private let files: [String]
  private let demo: String?
  /// What stands for the demo in reports; no file is called so.
  private static let demoName = "(demo)"

  init(_ files: [String], demo: String? = nil) {
    self.files = files
    self.demo = demo
  }

  /// What came of reading them.
  struct Reading {
    /// What has changed, in lines for people.
    var changes: [String] = []
    /// All files that were read, those included by others, too.
    var files: [String] = []
    /// Those in which there was anything.
    var filled: Set<String> = []
  }

  /// Reads all of them and makes `server` match.
  ///
  /// One in which there was something when it was read before, and now is nothing, is an error: an
  /// editor may have cut it off. A line `# empty` says that it is meant. `mayWait`, as at the start,
  /// says whether a file may be a pipe.
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
