import FlowLanguage
import FlowWire
import Testing

@testable import flowclient

@Suite("rows as objects of JSON")
struct RowRecordTests {
  @Test(
    "a row is an object with a member for each field",
    arguments: [
      (
        "subject a passthrough flow=free subscriptions=2 published=7",
        #"{"kind":"subject","name":"a","settings":"passthrough","flow":"free","subscriptions":2,"published":7}"#
      ),
      (
        #"subject a current "x flow=y z=1" flow=slowest stall=5s waiting=0"#,
        #"{"kind":"subject","name":"a","settings":"current \"x flow=y z=1\"","flow":"slowest","stall":"5s","waiting":0}"#
      ),
      (
        #"pipeline p = Just("a b=c").map { $0 == "d" }"#,
        #"{"kind":"pipeline","name":"p","text":"Just(\"a b=c\").map { $0 == \"d\" }"}"#
      ),
      (
        #"run r = a.map { " state=x" }.assign(to: b) state=running values=1 demand=max"#,
        #"{"kind":"run","name":"r","text":"a.map { \" state=x\" }.assign(to: b)","state":"running","values":1,"demand":"max"}"#
      ),
      ("definition SUBJECT a flow=free", #"{"kind":"definition","text":"SUBJECT a flow=free"}"#),
      (
        "state=failed values=1 held=0", #"{"kind":"figures","state":"failed","values":1,"held":0}"#
      ),
      (
        #"stage 1 map { " in=1" } in=3 out=2 demand=max"#,
        #"{"kind":"stage","number":"1","stage":"map { \" in=1\" }","in":3,"out":2,"demand":"max"}"#
      ),
      (
        "stage 2 assign(to: b)", #"{"kind":"stage","number":"2","stage":"assign(to: b)"}"#
      ),
      (
        #"inner 1.0 Just($0) of=slow asks="-" holds="at most 2" full="-" ends="after its value""#,
        #"{"kind":"inner","number":"1.0","stage":"Just($0)","of":"slow","asks":"-","holds":"at most 2","full":"-","ends":"after its value"}"#
      ),
      (
        #"total holds="2" resume=exact why="no state""#,
        #"{"kind":"total","holds":"2","resume":"exact","why":"no state"}"#
      ),
      ("failure too-hot it burns", #"{"kind":"failure","code":"too-hot","text":"it burns"}"#),
      (
        "failure stage ago=12ms x=1",
        #"{"kind":"failure","code":"stage","ago":"12ms","text":"x=1"}"#
      ),
      (
        "left-out ago=12ms map { $0.a }: x=1",
        #"{"kind":"left-out","ago":"12ms","text":"map { $0.a }: x=1"}"#
      ),
      (
        "service s workers=1 demand=max",
        #"{"kind":"service","name":"s","workers":1,"demand":"max"}"#
      ),
      (
        "client 7 peer=127.0.0.1:5 streams=0 you",
        #"{"kind":"client","client":7,"peer":"127.0.0.1:5","streams":0,"you":true}"#
      ),
      ("stream client=1 id=2 name=a", #"{"kind":"stream","client":1,"id":2,"name":"a"}"#),
      ("", #"{"kind":""}"#),
    ]
  )
  func rows(_ row: String, _ object: String) {
    #expect(RowRecord.json(row, of: .list) == object)
    #expect(isJSON(object))
  }

  @Test(
    "a metric has its labels",
    arguments: [
      (
        #"m{a="x",b="1,\"2"} 0.5"#, #"{"metric":"m","labels":{"a":"x","b":"1,\\\"2"},"value":0.5}"#
      ),
      ("flow_uptime_seconds 7", #"{"metric":"flow_uptime_seconds","labels":{},"value":7}"#),
      ("m +Inf", #"{"metric":"m","labels":{},"value":"+Inf"}"#),
    ]
  )
  func metrics(_ row: String, _ object: String) {
    #expect(RowRecord.json(row, of: .stats) == object)
    #expect(RowRecord.json(row, of: row.hasPrefix("flow_") ? nil : .stats) == object)
    #expect(isJSON(object))
  }

  @Test("help is its lines, and any row an object")
  func others() {
    #expect(RowRecord.json("subject a=1", of: .help) == #"{"text":"subject a=1"}"#)
    for row in [
      "=", "a =", "run", "subject", "stage", "total \"", "total a=\"b", "client", "x  y= =",
    ] {
      #expect(isJSON(RowRecord.json(row, of: .show)), "\(row)")
    }
  }

  private func isJSON(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { JSONText.isJSON(UnsafeRawBufferPointer($0)) }
  }
}

@Suite("rows on a terminal")
struct RowLayoutTests {
  @Test("what fits is a line, and what does not stands below what it is about")
  func layout() {
    let row = "subject orders passthrough flow=free subscriptions=10 publications=2"
    #expect(RowLayout.lines(of: row, width: 80) == [row])
    #expect(
      RowLayout.lines(of: row, width: 40) == [
        "subject orders passthrough", "    flow=free subscriptions=10", "    publications=2",
      ]
    )
    let stage = #"stage 1 map { $0 } asks="the same, and more" holds="nothing" full="-""#
    #expect(
      RowLayout.lines(of: stage, width: 40) == [
        "stage 1 map { $0 }", "    asks   the same, and more", "    holds  nothing", "    full   -",
      ]
    )
  }

  @Test("every line fits, and no text is lost", arguments: [40, 60, 80])
  func widths(_ width: Int) {
    let rows = [
      "run totals = orders.scan(0) { $0 + $1.price }.assign(to: revenue) state=running values=1",
      #"stage 0 orders asks="-" holds="nothing" full="-" ends="with the subject, which is long""#,
      "pipeline x = " + String(repeating: "a.b ", count: 40), "failure stage a=1 b",
    ]
    for row in rows {
      let lines = RowLayout.lines(of: row, width: width)
      for line in lines { #expect(line.count <= width) }
      let text = lines.joined().filter { $0.isLetter }
      #expect(text == row.filter { $0.isLetter })
    }
  }

  @Test("a table that is too wide is blocks")
  func blocks() {
    let table = TextTable(
      columns: [
        .init(title: "#"), .init(title: "stage"), .init(title: "asks"), .init(title: "when full"),
      ],
      rows: [
        ["0", "orders", "-", "waits"], ["1", "map { $0 }", "the same as is asked of it", "-"],
      ]
    )
    #expect(table.fits(width: 80) && !table.fits(width: 40))
    #expect(
      table.blocks(width: 30) == [
        "0  orders", "  asks       -", "  when full  waits", "1  map { $0 }",
        "  asks       the same as is", "             asked of it", "  when full  -",
      ]
    )
  }
}
