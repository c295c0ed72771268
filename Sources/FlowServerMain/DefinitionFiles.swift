import FlowServer

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
  }

  /// Reads all of them and makes `server` match.
  @discardableResult
  func load(into server: Server) throws(StartError) -> Reading {
    let names = (demo == nil ? [] : [Self.demoName]) + files
    var reading = Reading()
    do {
      reading.changes = try server.load(names) { name throws(StartError) in
        if let demo, name == Self.demoName { return demo }
        let text = try Files.read(name)
        reading.files.append(name)
        return text
      }
      return reading
    } catch let error as StartError {
      throw error
    } catch let error as ConfigurationError {
      let count = error.reports.count == 1 ? "1 error" : "\(error.reports.count) errors"
      throw StartError(.badConfiguration, "\(count) in the files", advice: "\(error)")
    } catch {
      throw StartError(.badConfiguration, "\(error)")
    }
  }
}
