public import Foundation

/// A folder for the tests' files; it is removed when the process exits.
public enum TestFolder {
  private static let url: URL = {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "flow-tests-\(ProcessInfo.processInfo.processIdentifier)")
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    } catch {
      fatalError("cannot create the folder for the tests' files: \(error)")
    }
    atexit { try? FileManager.default.removeItem(at: TestFolder.url) }
    return url
  }()

  /// Writes a new file; returns its path.
  public static func file(_ text: String = "") throws -> String { try file(Data(text.utf8)) }

  public static func file(_ bytes: Data) throws -> String {
    let file = url.appending(path: "\(UUID()).flow")
    try bytes.write(to: file)
    return file.path
  }

  /// Returns the path of a folder that does not exist yet.
  public static func folder() -> String { url.appending(path: "\(UUID())").path }
}
