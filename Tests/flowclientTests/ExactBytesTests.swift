import FlowLanguage
import FlowServer
import FlowTestSupport
import Foundation
import Testing

@testable import flowclient

@Suite("values go through the client byte by byte")
struct ExactBytesTests: ClientSuite {
  let address: String

  init() throws {
    (_, address) = try TestServers.start(
      "SUBJECT orders flow=slowest\nSUBJECT copies flow=slowest\n"
    )
  }

  private static func read(_ record: [UInt8]) -> [UInt8]? {
    record.withUnsafeBytes { JSONRecord.value(in: $0) }
  }

  private static func record(_ payload: [UInt8]) -> [UInt8] {
    var output = Array(#"{"n":1"#.utf8)
    payload.withUnsafeBytes { JSONRecord.append($0, to: &output) }
    return output + Array("}".utf8)
  }

  /// Bytes of all kinds, and what is nearly JSON.
  private static func payload(_ random: inout SeededGenerator) -> [UInt8] {
    let parts = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0041", "\\ud800", "1", "1.50", "-0", "1e400",
      "true", "null", " ", "\t", "\n", "\r", "ä", "\u{2028}", "\u{0}", "\"a\"", "\"value\":", "=",
    ]
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return (0..<Int.random(in: 0..<40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    case 1:
      let values = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
        ["1.50", "\"\\u0041\"", "{\"a\" : [ ]}", "null"].randomElement(using: &random) ?? "1"
      }
      let comma = [",", " , ", ",\n"].randomElement(using: &random) ?? ","
      return Array("[\(values.joined(separator: comma))]".utf8)
    default:
      let count = Int.random(in: 0..<8, using: &random)
      return (0..<count).flatMap { _ in Array((parts.randomElement(using: &random) ?? "").utf8) }
    }
  }

  @Test("what a record is made of is had again from it")
  func records() {
    var random = SeededGenerator(state: 5)
    for _ in 0..<20_000 {
      let payload = Self.payload(&random)
      let record = Self.record(payload)
      #expect(!record.contains(10) && !record.contains(13))
      #expect(Self.read(record) == payload, "\(String(decoding: payload, as: UTF8.self))")
      #expect(record.withUnsafeBytes { JSONText.isJSON($0) })
    }
    for depth in [1, 127, 128, 129, 5000] {
      let brackets = [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
      #expect(Self.read(Self.record(brackets)) == brackets)
    }
  }

  @Test(
    "records of others are read, whatever else is in them",
    arguments: [
      (#" { "value" : { "a": 1.50 } , "n" : [1, "}"] } "#, #"{ "a": 1.50 }"#),
      (#"{"json":false,"value":"a\n\"ä"}"#, "a\n\"ä"), (#"{"json":true,"value":"a"}"#, #""a""#),
      (#"{"base64":"YQ==","value":1}"#, "a"), (#"{"base64":"YQ\u003d\u003d"}"#, "a"),
      (#"{"base64":""}"#, ""),
    ]
  )
  func foreign(_ record: String, _ value: String) {
    #expect(Self.read(Array(record.utf8)).map { String(decoding: $0, as: UTF8.self) } == value)
  }

  @Test(
    "what is no record is refused",
    arguments: [
      "", "1", "[]", "{}", #"{"value"}"#, #"{"value":}"#, #"{"value":1,}"#, #"{"value":01}"#,
      #"{"value":1}x"#, #"{"value":tru}"#, #"{"value":[}}"#, #"{"value":"a}"#, #"{"json":false}"#,
      #"{"json":false,"value":1}"#, #"{"base64":"%"}"#, #"{"base64":1}"#, #"{value:1}"#, "{\"",
      #"{"value":"a\"}"#, #"{"value":1 2}"#,
    ]
  )
  func refused(_ record: String) {
    #expect(Self.read(Array(record.utf8)) == nil)
  }

  @Test("files are values, byte by byte, and so they come out of -o raw and of records")
  func files() throws {
    var random = SeededGenerator(state: 11)
    let values = (0..<60).map { _ in Self.payload(&random) } + [[], [13], [10], [13, 10], [0x20]]
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

  /// The records without their times.
  private func bare(_ output: [UInt8]) throws -> [String] {
    try String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
      let time = try #require(line.firstRange(of: #""time":""#))
      let rest = line[time.upperBound...].drop { $0 != "\"" }
      return String(line[..<time.lowerBound]) + String(rest)
    }
  }

  private func waitForReaders(_ count: Int, of name: String) throws {
    for _ in 0..<2000 {
      let row = try run(["list", "subjects"]).output.split(separator: "\n")
        .first { $0.contains(" \(name) ") }
      if row?.contains(" subscriptions=\(count) ") ?? false { return }
    }
    Issue.record("\(name) has not got \(count) subscriptions")
  }

  @Test("a CR at the end of a line belongs to its value")
  func carriageReturns() throws {
    let sub = try start("sub", "orders", "-o", "raw")
    #expect(try run(["send", "orders", "--end"], input: "a\r\nb\r\r\n\r\nc").status == 0)
    #expect(sub.waitForEnd().output == "a\rb\r\r\rc")
  }

  @Test(
    "--chunks cuts the input, or each file, wherever line ends are",
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
      String(decoding: try #require(Self.read(Array($0.utf8))), as: UTF8.self)
    }
    let bytes = Array(text.utf8)
    let pieces = stride(from: 0, to: bytes.count, by: size).map {
      String(decoding: bytes[$0..<min($0 + size, bytes.count)], as: UTF8.self)
    }
    #expect(values == pieces + pieces)
  }

  @Test("values of up to the limit go through, and beyond it the limit is told")
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
