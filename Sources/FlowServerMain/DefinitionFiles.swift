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

  /// Reads all of them and makes `server` match.
  ///
  /// - Returns: what has changed, in lines for people.
  @discardableResult
  func load(into server: Server) throws(StartError) -> [String] {
    let names = (demo == nil ? [] : [Self.demoName]) + files
    do {
      return try server.load(names) { name throws(StartError) in
        if let demo, name == Self.demoName { return demo }
        return try Files.read(name)
      }
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
