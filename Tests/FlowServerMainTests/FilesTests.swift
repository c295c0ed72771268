import Foundation
import Glibc
import FlowTransport
import Testing

@testable import FlowServerMain

@Suite("Files of the server")
struct FilesTests {
  @Test("a file is replaced through a new one, and nothing is left beside it")
  func replace() throws {
    let platform = SystemPlatform.shared
    let folder = NSTemporaryDirectory() + "flow-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/ports"
    // What drafts were called once: somebody may have put a link there.
    symlink(folder + "/precious", "\(path).\(getpid())")
    try platform.replaceFile(path, with: "one\n")
    try platform.replaceFile(path, with: "two\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "two\n")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(Set(names) == ["ports", "ports.\(getpid())"])
    #expect(throws: StartError.self) {
      try platform.replaceFile("/nonexistent/ports", with: "")
    }
  }

  @Test("what is no file is written into, and stays; a pipe needs a reader")
  func writeThrough() throws {
    let platform = SystemPlatform.shared
    let path = NSTemporaryDirectory() + "flow-\(UUID().uuidString)"
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    #expect(throws: StartError(.cannotCreate, "cannot write \(path): no such device or address")) {
      try platform.replaceFile(path, with: "one\n")
    }
    let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    try platform.replaceFile(path, with: "one\n")
    var buffer = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &buffer, 16) == 4 && buffer.starts(with: "one\n".utf8))
    #expect(throws: StartError.self) { try platform.replaceFile("/", with: "") }
  }

  @Test("a pipe is refused where its writer may not be waited for")
  func pipes() throws {
    let platform = SystemPlatform.shared
    let path = NSTemporaryDirectory() + "flow-\(UUID().uuidString)"
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let message = "cannot read \(path): it is a pipe, which can be read once only"
    #expect(throws: StartError(.cannotRead, message)) {
      try platform.text(ofFile: path, mayWait: false)
    }
  }

  @Test("a file may begin with the mark of its encoding")
  func mark() throws {
    let path = NSTemporaryDirectory() + "flow-\(UUID().uuidString)"
    defer { unlink(path) }
    try Data([0xEF, 0xBB, 0xBF] + "tokA all\n".utf8).write(to: URL(fileURLWithPath: path))
    #expect(try SystemPlatform.shared.text(ofFile: path, mayWait: false) == "tokA all\n")
  }
}
