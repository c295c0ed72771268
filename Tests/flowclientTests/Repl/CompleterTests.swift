import FlowWire
import Testing

@testable import flowclient

@Suite("Tab")
struct CompleterTests {
  private var completer: Completer {
    var completer = Completer()
    completer.names.replace(rows: [
      "subject orders passthrough flow=free", "subject sensors/kitchen-1 passthrough",
      "pipeline over = orders.filter { $0.price > 3 }", "run totals = …", "service bill workers=1",
      "stream client=1 id=1",
    ])
    completer.streams = ["1", "7"]
    for text in [#"{"id":1,"price":2.5,"address":{"city":"x","zip":"y"}}"#, "12", "{broken"] {
      var text = text
      text.withUTF8 { completer.members.record(UnsafeRawBufferPointer($0)) }
    }
    return completer
  }

  @Test(
    "completes what can only be one thing",
    arguments: [
      ("su", ["SUBJECT ", "SUB "]), ("PI", ["PIPELINE ", "PING "]), ("pip", ["PIPELINE "]),
      (":p", [":pause"]), (":trace o", ["on", "off"]), ("SUB ord", ["orders"]),
      ("@7 SUB ord", ["orders"]), ("SEND o", ["orders"]), ("SEND ov", []), ("SHOW b", ["bill"]),
      ("SUB sensors/k", ["sensors/kitchen-1"]), ("DELETE t", ["totals"]),
      ("LIST pi", ["pipelines"]), ("HELP deb", ["debounce"]), ("HELP netc", ["netcat"]),
      ("REQ ", ["1", "7"]),
      ("SUB orders.deb", ["debounce("]), ("SUB orders.compactM", ["compactMap { "]),
      ("PIPELINE a = orders.prefix(3).filt", ["filter { "]), ("SUB orders.coun", ["count()"]),
      ("SUB orders.filter { $0.pri", ["price", "print", "printable"]),
      ("SUB orders.map { $0.address.c", ["city", "contains", "count", "ceil"]),
      ("SUB orders.debounce(f", ["for: "]), ("SUB orders.merge(w", ["with: "]),
      ("SUB orders.merge(with: ov", ["over"]), ("SUB Tim", ["Timer"]),
      ("SUB orders wi", ["window="]), ("SUB orders as=1 m", ["max "]),
      ("SUBJECT a re", ["replay "]), ("SUBJECT a flow", ["flow=free ", "flow=slowest "]),
      ("SEND orders x", []), ("nonsense o", []), ("SUB orders.map { \"pri", []),
      ("SUB orders.flatMap { ov", ["over"]), ("SUB orders.flatMap { orders.deb", ["debounce("]),
      ("SUB orders.map(\\.pri", ["price"]), ("SUB orders.map(\\.address.c", ["city"]),
      ("SUB orders.map { \"\\($0.pri", ["price", "print"]),
      ("SUB orders.map { order in order.address.ci", ["city"]),
      ("SUB orders.map { $0.address!.ci", ["city"]), ("SUB orders.map { $0.address[0].zi", ["zip"]),
      ("SUB orders.map { if $0.id > 3 { $0.address.ci", ["city"]),
      ("SUB orders.filter { $0.id > 3 }.merge(with: sensors/k", ["sensors/kitchen-1"]),
      ("SUB orders.flatMap { Just($0).merge(w", ["with: "]),
      ("SUB orders.flatMap { if $0.id > 3 { ov", ["over"]),
      ("SUB orders.debounce(for: 3, sch", ["scheduler: "]), ("SUB orders.debounce(for: sch", []),
      ("SUB orders.scan(0) { total, or", []), ("SUB orders.map { $0 $0 }.deb", ["debounce("]),
    ]
  )
  func proposals(_ typed: String, _ texts: [String]) {
    let answer = completer.answer(typed)
    let found = answer?.proposals.map(\.text) ?? []
    // Functions come and go; what has to be there is.
    if texts.count > 1 {
      #expect(found.contains(texts[0]))
    } else {
      #expect(found == texts)
    }
    if let answer {
      let word = Array(typed)[answer.start...]
      #expect(answer.commonStart.lowercased().hasPrefix(String(word).lowercased()))
    }
  }

  @Test("completes at a cursor in the middle of a line")
  func middle() {
    let line = "PIPELINE a = orders.filt { $0.price > 3 }"
    let head = line.prefix { $0 != "{" }.dropLast()
    let answer = completer.answer(head)
    #expect(answer?.proposals.map(\.text) == ["filter { "])
    #expect(answer?.start == 20)
  }

  @Test("proposes members by the way to them")
  func members() {
    let members = completer.members
    #expect(
      members.names(behind: [])
        == ["address", "city", "id", "price", "zip"].filter { $0 != "city" && $0 != "zip" }
    )
    #expect(members.names(behind: ["address"]) == ["city", "zip"])
    #expect(members.names(behind: ["x", "address"]) == ["city", "zip"])
  }

  @Test("knows what was defined since")
  func notes() throws {
    var names = KnownNames()
    names.record(try TaggedCommand("SUBJECT a").command)
    names.record(try TaggedCommand("PIPELINE b = a").command)
    #expect(names.names() == ["a", "b"])
    names.record(try TaggedCommand("DELETE a").command)
    #expect(names.names() == ["b"] && names.names(["subject"]) == [])
  }
}
