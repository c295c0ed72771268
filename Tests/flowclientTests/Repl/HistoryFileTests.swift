import FlowTestSupport
import Foundation
import Testing

@testable import flowclient

@Suite("the file of history")
struct HistoryFileTests {
  private let platform = SystemSurroundings().platform
  private let folder = TestFolder.folder()

  private func file(_ state: String? = nil, home: String? = nil) -> HistoryFile {
    HistoryFile { variable in
      switch variable {
      case .stateFolder: state
      case .home: home
      default: nil
      }
    }
  }

  private func rights(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test("is in the folder for state, which must be absolute, or below the home folder")
  func places() {
    #expect(file("/s", home: "/h").path == "/s/flowclient/history")
    #expect(file(home: "/h").path == "/h/.local/state/flowclient/history")
    #expect(file("s", home: "/h").path == "/h/.local/state/flowclient/history")
    #expect(file("s", home: "h").path == nil)
    #expect(file().path == nil)
  }

  @Test("has what several programs have added, for its owner's eyes only")
  func adding() throws {
    let (one, other) = (file(folder), file(folder))
    #expect(one.read(platform).entries == [])
    one.append("LIST")
    other.append("SUB a\n  .map { $0 }")
    one.append("PING")
    let found = other.read(platform).entries
    #expect(found == ["LIST", "SUB a\n  .map { $0 }", "PING"])
    #expect(try rights("\(folder)/flowclient/history") == 0o600)
    #expect(try rights("\(folder)/flowclient") == 0o700)
  }

  @Test("that has grown too long is cut to the newest lines when it is read")
  func cutting() throws {
    let file = file(folder)
    file.append("LIST")
    let path = try #require(file.path)
    let lines = (0...2 * History.longest).map { "PING \($0)\n" }
    try lines.joined().write(toFile: path, atomically: false, encoding: .utf8)
    let found = file.read(platform).entries
    #expect(found.count == History.longest && found.last == "PING \(2 * History.longest)")
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    #expect(kept == lines.suffix(History.longest).joined())
    #expect(try rights(path) == 0o600)
  }

  @Test("that cannot be had is no error: nothing is kept")
  func impossible() throws {
    let blocked = file("/dev/null")
    blocked.append("PING")
    #expect(blocked.read(platform).entries == [])
    let nowhere = file()
    nowhere.append("PING")
    #expect(nowhere.read(platform).entries == [])
  }
}
