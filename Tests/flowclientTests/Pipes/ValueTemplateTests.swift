import Programs
import Testing

@testable import flowclient

@Suite("templates of values")
struct ValueTemplateTests {
  private func fill(
    _ template: String,
    _ payload: String
  ) throws -> (text: String, missing: [String: UInt64]) {
    let template = try ValueTemplate(template)
    var output: [UInt8] = []
    var missing: [String: UInt64] = [:]
    Array(payload.utf8).withUnsafeBytes {
      template.append($0, number: 7, missing: &missing, to: &output)
    }
    return (String(decoding: output, as: UTF8.self), missing)
  }

  @Test(
    "members stand where their paths are, strings without quotes and all else as it is spelled",
    arguments: [
      ("{id}: {price}", #"{"id":7,"price":1.50}"#, "7: 1.50"),
      ("{a.b[1].c}", #"{"a":{"b":[0,{"c":"x\ny"}]}}"#, "x\ny"),
      ("{[0]}{[1]}", #"[true,null]"#, "truenull"), ("{}", #"{ "a": 1 }"#, #"{ "a": 1 }"#),
      ("{}", #""a\"b""#, "a\"b"), ("{}", "no json", "no json"), ("{}", #""no json"#, #""no json"#),
      ("{{{id}}}", #"{"id":1}"#, "{1}"), ("{#}", "1", "7"), ("", "1", ""),
      ("{n}", #"{"n":3}"#, "3"),
      (#"{["a.b"][0]}{["{x}"]}"#, #"{"a.b":[1],"{x}":2}"#, "12"),
      ("{o}", #"{"o":{"a":[1, 2.50]}}"#, #"{"a":[1,2.50]}"#),
      ("{a}", #"{"a":1,"a":2}"#, "2"),
    ]
  )
  func filled(_ template: String, _ payload: String, _ text: String) throws {
    let result = try fill(template, payload)
    #expect(result.text == text && result.missing == [:])
  }

  @Test("what a value lacks is empty, and counted")
  func missing() throws {
    let result = try fill("<{a}><{b.c}><{d[2]}>", #"{"b":1,"d":[1]}"#)
    #expect(result.text == "<><><>")
    #expect(result.missing == ["a": 1, "b.c": 1, "d[2]": 1])
    #expect(try fill("{a}", "text").missing == ["a": 1])
  }

  @Test("bytes go through {} as they are")
  func bytes() throws {
    let template = try ValueTemplate("{}")
    for payload in [[0xFF, 0x00, 0x22], [0x22, 0xFF, 0x22]] as [[UInt8]] {
      var output: [UInt8] = []
      var missing: [String: UInt64] = [:]
      payload.withUnsafeBytes { template.append($0, number: 1, missing: &missing, to: &output) }
      #expect(output == payload)
    }
  }

  @Test(
    "what is no template is refused",
    arguments: [
      ("{id", "{id has no end; {{ is a brace"), ("id}", "} stands alone; }} is a brace"),
      ("{a..b}", "{a..b} is no path; one is {price} or {a.b[0]}"),
      ("{a[x]}", "{a[x]} is no path; one is {price} or {a.b[0]}"),
      ("{.a}", "{.a} is no path; one is {price} or {a.b[0]}"),
      ("{a.}", "{a.} is no path; one is {price} or {a.b[0]}"),
      ("{a[0}", "{a[0} is no path; one is {price} or {a.b[0]}"),
      ("{a[0]b}", "{a[0]b} is no path; one is {price} or {a.b[0]}"),
      (
        "{[99999999999999999999]}",
        "{[99999999999999999999]} is no path; one is {price} or {a.b[0]}"
      ),
    ]
  )
  func refused(_ template: String, _ message: String) {
    let error = #expect(throws: UsageError.self) { try ValueTemplate(template) }
    #expect(error?.message == "the template is \"\(template)\", in which \(message)")
  }
}
