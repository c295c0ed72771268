import Testing

@testable import flowclient

@Suite("values as CSV")
struct CSVTableTests {
  private func csv(_ payloads: [String]) -> (text: String, leftOut: UInt64, members: [String]) {
    var table = CSVTable()
    var output: [UInt8] = []
    for payload in payloads {
      Array(payload.utf8).withUnsafeBytes { table.append($0, to: &output) }
    }
    let text = String(decoding: output, as: UTF8.self)
    return (text, table.leftOut.values, table.leftOut.members)
  }

  @Test(
    "the members of the first value are the columns, and one that is missing is empty",
    arguments: [
      (
        [#"{"b":1.50,"a":"x"}"#, #"{"a":"y","b":null}"#, #"{"a":true}"#],
        "b,a\n1.50,x\nnull,y\n,true\n"
      ),
      ([#"{"a":[1,2],"b":{"c":"x"}}"#], "a,b\n\"[1,2]\",\"{\"\"c\"\":\"\"x\"\"}\"\n"),
      ([#"{"a":"x,y"}"#, #"{"a":"\""}"#, #"{"a":"1\n2"}"#], "a\n\"x,y\"\n\"\"\"\"\n\"1\n2\"\n"),
      (
        [#"{"a":"1"}"#, #"{"a":"true"}"#, #"{"a":"01"}"#, #"{"a":""}"#],
        "a\n\"1\"\n\"true\"\n01\n\"\"\n"
      ),
      (["1", "\"x\"", "plain", "\"2\"", "[1,2]"], "value\n1\nx\nplain\n\"2\"\n\"[1,2]\"\n"),
      ([#"{"a":1,"a":2}"#], "a\n2\n"), (["{}"], "value\n{}\n"),
      ([#"{"x":1,"value":2}"#, "3"], "x,value\n1,2\n,3\n"),
      ([#"{"a":1}"#, #"{"b":2}"#, "3", #"{"a":""}"#], "a\n1\n\"\"\n\"\"\n\"\"\n"),
      ([#"{"":1}"#, #"{"":""}"#], "\"\"\n1\n\"\"\n"),
      (["{\"\u{FEFF}id\":\"\u{FEFF}\",\"b\":1}"], "\"\u{FEFF}id\",b\n\"\u{FEFF}\",1\n"),
    ]
  )
  func records(_ payloads: [String], _ text: String) {
    #expect(csv(payloads).text == text)
  }

  @Test("members that are no columns are left out and counted")
  func leftOut() {
    let result = csv([#"{"a":1,"b":2}"#, #"{"a":1,"c":3}"#, "7", #"{"c":1,"d":2,"b":5}"#])
    #expect(result.text == "a,b\n1,2\n1,\n,\n,5\n")
    #expect(result.leftOut == 3 && result.members == ["c", "value", "d"])
  }
}
