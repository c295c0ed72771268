import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@testable import flowclient

@Suite("flowclient keeps every byte of values")
struct ExactBytesTests: ClientSuite {
  let address: String

  init() throws {
    (_, address) = try TestServer.start(
      "SUBJECT orders flow=slowest\nSUBJECT copies flow=slowest\n"
    )
  }

  @Test("files are sent as values and printed, raw and as JSON, unchanged")
  func files() throws {
    var random = SeededGenerator(state: 11)
    let values = (0..<60).map { _ in random.payload() } + [[], [13], [10], [13, 10], [0x20]]
    let paths = try values.map { try TestFolder.file(Data($0)) }
    let files = paths.flatMap { ["--file", $0] }
    let raw = try start("sub", "orders", "-o", "raw")
    let records = try start("sub", "orders", "-o", "json")
    try waitForReaders(2, of: "orders")
    #expect(try run(["send", "orders"] + files + ["--end"]).status == 0)
    #expect(raw.waitForEnd().status == 0 && records.waitForEnd().status == 0)
    #expect(raw.outputBytes == values.flatMap { $0 })
    let first = try bare(records.outputBytes)
    #expect(first.count == values.count)
    let again = try start("sub", "copies", "-o", "json")
    let text = String(decoding: records.outputBytes, as: UTF8.self)
    #expect(try run(["send", "copies", "--format", "json", "--end"], input: text).status == 0)
    #expect(again.waitForEnd().status == 0)
    #expect(try bare(again.outputBytes) == first)
  }

  /// Returns the records without their times.
  private func bare(_ output: [UInt8]) throws -> [String] {
    try String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
      let time = try #require(line.firstRange(of: #""time":""#))
      let rest = line[time.upperBound...].drop { $0 != "\"" }
      return String(line[..<time.lowerBound]) + String(rest)
    }
  }

  private func waitForReaders(_ count: Int, of name: String) throws {
    try Patience.wait(for: "\(count) subscriptions of \(name)") {
      try run(["list", "subjects"]).output.split(separator: "\n")
        .contains { $0.contains(" \(name) ") && $0.contains(" subscriptions=\(count) ") }
    }
  }

  @Test("a CR before the end of a line belongs to the value")
  func carriageReturns() throws {
    let sub = try start("sub", "orders", "-o", "raw")
    #expect(try run(["send", "orders", "--end"], input: "a\r\nb\r\r\n\r\nc").status == 0)
    #expect(sub.waitForEnd().output == "a\rb\r\r\rc")
  }

  @Test(
    "--chunks cuts the input, or each file, regardless of line ends",
    arguments: [1, 3, 4, 1000]
  )
  func chunks(_ size: Int) throws {
    let text = "ab\ncd\r\nefgh\n\n"
    let sub = try start("sub", "orders", "-o", "json")
    let path = try TestFolder.file(text)
    let chunks = ["--chunks", "\(size)"]
    #expect(try run(["send", "orders"] + chunks, input: text).status == 0)
    #expect(try run(["send", "orders", "--file", path, "--end"] + chunks).status == 0)
    #expect(sub.waitForEnd().status == 0)
    let values = try String(decoding: sub.outputBytes, as: UTF8.self).split(separator: "\n").map {
      let value = Array($0.utf8).withUnsafeBytes { JSONRecord.value(in: $0) }
      return String(decoding: try #require(value), as: UTF8.self)
    }
    let bytes = Array(text.utf8)
    let pieces = stride(from: 0, to: bytes.count, by: size).map {
      String(decoding: bytes[$0..<min($0 + size, bytes.count)], as: UTF8.self)
    }
    #expect(values == pieces + pieces)
  }

  @Test("a value may have as many bytes as the limit; the error names the limit")
  func limits() throws {
    let most = 1_048_576
    let sub = try start("sub", "orders", "-o", "raw")
    let exact = try TestFolder.file(Data(repeating: 0x0D, count: most))
    #expect(try run(["send", "orders", "--file", exact]).status == 0)
    let long = try TestFolder.file(Data(repeating: 0x0D, count: most + 1))
    let refused = try run(["send", "orders", "--file", long])
    #expect(refused.status == 65)
    #expect(
      refused.remarks
        == "flowclient: \(long) has more than \(most) bytes, the limit of a value\n--chunks SIZE cuts it into values\n"
    )
    let chunks = try run(["send", "orders", "--chunks", "2MiB"], input: "x")
    #expect(chunks.status == 64)
    #expect(
      chunks.remarks
        == "flowclient: --chunks is 2097152 bytes, but the limit of a value is \(most) bytes\n"
    )
    let missing = try run(["send", "orders", "--file", "/nonexistent"])
    #expect(missing.status == 66 && missing.remarks.contains("cannot read /nonexistent: no such"))
    #expect(
      try run(["send", "orders", String(repeating: "y", count: 100_000), "--end"]).status == 0
    )
    #expect(sub.waitForEnd().status == 0)
    #expect(sub.outputBytes.count == most + 100_000)
  }

  @Test("--end completes the subject, with and without values")
  func end() throws {
    let sub = try start("sub", "orders")
    #expect(try run(["send", "orders", "1", "2", "--end"]).status == 0)
    #expect(sub.waitForEnd() == .init(output: "1\n2\n", remarks: "", status: 0))
    #expect(try run(["send", "copies", "--end"]).status == 0)
    #expect(try run(["sub", "copies"]) == .init(output: "", remarks: "", status: 0))
    #expect(try run(["send", "copies", "--end"]).status == 1)
  }
}
