import FlowLanguage
import FlowWire
import Testing

@testable import flowclient

@Suite("top: its picture")
struct TopViewTests {
  private static func state(_ change: (inout TopState) -> Void = { _ in }) -> TopState {
    var state = TopState(TopRequest())
    change(&state)
    return state
  }

  private static let states: [TopState] = [
    state(), state { $0.detail = "slow" }, state { $0.showsHelp = true },
    state { $0.typed = "or" },
    state {
      $0.detail = "slow"
      $0.scroll = 3
    },
    state { $0.trouble = "lost 127.0.0.1:3569, reconnecting…" }, state { $0.filter = "zzz" },
    state { $0.selected = "n7" }, state { $0.detail = "unknown" },
  ]

  private static func view(_ state: TopState, _ columns: Int, isASCII: Bool = false) -> TopView {
    TopView(
      picture: TopPictures.picture(count: 50),
      state: state,
      server: "127.0.0.1:3569",
      columns: columns,
      isASCII: isASCII
    )
  }

  @Test("fits every screen, and nothing in it is obeyed", arguments: states, [false, true])
  func fits(_ state: TopState, _ isASCII: Bool) {
    let picture = TopPictures.picture(count: 8)
    for columns in [20, 40, 61, 80, 100, 199] + Array(stride(from: 60, through: 200, by: 7)) {
      let view = TopView(
        picture: picture,
        state: state,
        server: "127.0.0.1:3569",
        columns: columns,
        isASCII: isASCII
      )
      for rows in [1, 6, 7, 24] {
        let lines = view.screen(rows: rows)
        #expect(lines.count == rows)
        for line in lines {
          #expect(DisplayText.width(line.text) <= columns, "\(columns)x\(rows): \(line.text)")
          #expect(line.text.unicodeScalars.allSatisfy { !$0.isObeyed })
          if isASCII { #expect(line.text.utf8.allSatisfy { $0 < 0x80 }) }
        }
      }
    }
  }

  @Test("names services without a worker, in all views")
  func unserved() {
    for columns in [40, 80, 160] {
      for detail in [nil, "slow"] {
        let view = TopView(
          picture: TopPictures.picture(unserved: TopPictures.unserved),
          state: Self.state { $0.detail = detail },
          server: "127.0.0.1:3569",
          columns: columns
        )
        let lines = view.screen(rows: 24)
        let first = lines.first { $0.text.hasPrefix("resize has no worker: 2 calls of client") }
        #expect(first?.style == .warning, "\(lines)")
        for line in lines { #expect(DisplayText.width(line.text) <= columns) }
      }
    }
    let report = TopReport(
      picture: TopPictures.picture(unserved: TopPictures.unserved),
      name: nil,
      sort: .verdict
    )
    #expect(report.json().contains(#""unserved":[{"service":"resize","calls":2,"#))
  }

  @Test("begins with the verdict, and names those first that are held up")
  func names() {
    let lines = Self.view(Self.state(), 100).screen(rows: 10).map(\.text)
    #expect(lines[0].hasPrefix("flow at 127.0.0.1:3569  busy 6 %  in 3.00k/s  out 1.00k/s"))
    #expect(
      lines[1] == "slow: loses 500/s, held up by its flatMap; 1 other name held up as well"
    )
    #expect(
      lines[2].split(separator: " ").joined(separator: " ")
        == "name verdict by whom stages in/s out/s drops drops/s subs"
    )
    #expect(
      lines[3].split(separator: " ").joined(separator: " ")
        == "> slow held up flatMap sbw 3.00k 2.00k 6000 500 2"
    )
    #expect(lines[4].hasPrefix("  taps verdict") || lines[4].hasPrefix("  taps"))
    #expect(lines[9].hasPrefix("↑↓: select"))
  }

  @Test("has all columns but the last ones from 60 columns on", arguments: [60, 80, 200])
  func columns(_ columns: Int) {
    let lines = Self.view(Self.state(), columns).screen(rows: 12).map(\.text)
    let names = lines.first { $0.hasPrefix("  name ") } ?? ""
    for title in ["name", "verdict", "by whom", "stages", "in/s", "out/s", "drops", "subs"] {
      #expect(names.contains(title), "\(names)")
    }
    let view = Self.view(Self.state { $0.detail = "slow" }, columns)
    let stages = view.screen(rows: 24).map(\.text).joined(separator: "\n")
    let words =
      columns < 100 ? ["s%", "w%", "b%", "pubs", "asked"] : ["starved", "publishers", "demand"]
    for title in words + ["stage", "in/s", "out/s", "fill", "drops"] {
      #expect(stages.contains(title), "\(stages)")
    }
  }

  @Test("tells of each stage what it does, holds and loses, and who is stalled")
  func detail() {
    let view = Self.view(Self.state { $0.detail = "slow" }, 160)
    let lines = view.screen(rows: 24).map { $0.text.split(separator: " ").joined(separator: " ") }
    #expect(lines[1].hasPrefix("slow: Loses 500/s at buffer, held up by flatMap: all of its 3"))
    #expect(
      lines[2] == "It has been so for 12.3 s. More publishers at once would help, or fewer values."
    )
    let buffer = "9 % 0 % 91 % 3.00k 2.00k 18/40^20 - 0 6000 500"
    #expect(lines.contains { $0.hasSuffix(buffer) })
    #expect(lines.contains { $0.hasSuffix("0 % 100 % 0 % 2.00k 2.00k 3^3 3/6 16384 0 0") })
    #expect(lines.contains { $0.contains("7 wait") })
    #expect(
      lines.contains(
        "2 subscriptions, 1 stalled; values take 40 ms, at most 1.3 s for 99 % of them"
      )
    )
    #expect(lines.contains { $0.hasSuffix("7.1 - 12.0 s unread 0 5120 3857") })
  }

  @Test(
    "short times have their unit",
    arguments: [
      (0.05, "50 µs"), (0.25, "250 µs"), (1.0, "1 ms"), (2.5, "2.5 ms"), (25, "25 ms"),
      (2500, "2.5 s"), (-Double.infinity, "0 µs"), (1e300, "2562047788015 h"),
    ] as [(Double, String)]
  )
  func shortTimes(_ milliseconds: Double, _ text: String) {
    #expect(TopFigure.shortTime(milliseconds: milliseconds) == text)
  }

  @Test("shows one subscription alone, with nothing of the others")
  func alone() {
    let stream = StreamPlace("7.1")
    func lines(_ picture: TopPicture) -> [String] {
      let state = Self.state {
        $0.detail = "slow"
        $0.stream = stream
      }
      return TopView(picture: picture, state: state, server: "x", columns: 160)
        .screen(rows: 24).map { $0.text.split(separator: " ").joined(separator: " ") }
    }
    let alone = lines(TopPictures.picture(stream: "7.1"))
    #expect(alone[1].hasPrefix("slow, stream 7.1 alone: Loses 500/s at buffer"))
    // What a stage may hold is not doubled for two subscriptions.
    #expect(alone.contains { $0.hasSuffix("9 % 0 % 91 % 3.00k 2.00k 18/20^20 - 0 6000 500") })
    #expect(
      alone.last == "Esc: all of them ↑↓: scroll p: pause ?: help q: quit n: one subscription"
    )
    // What is known of all of them is not shown as what one does.
    let others = lines(TopPictures.picture())
    #expect(others[1] == "slow, stream 7.1 alone: asking…")
    #expect(!others.contains { $0.contains("flatMap") })
    let report = TopReport(
      picture: TopPictures.picture(stream: "7.1"),
      name: "slow",
      stream: stream,
      sort: .verdict
    )
    #expect(report.json().contains(#""kind":"pipeline","stream":"7.1","verdict":{"code":"stage""#))
    #expect(report.rows().count == 3)
  }

  @Test("says verdicts in words, and who is to blame")
  func words() {
    let rows = TopPictures.picture().names(by: .verdict)
    #expect(rows.prefix(3).map(\.verdict) == ["held up", "held up", "well"])
    #expect(rows.prefix(3).map(\.culprit).first == "flatMap" && rows[2].culprit.isEmpty)
    let help = Self.view(Self.state { $0.showsHelp = true }, 80).screen(rows: 24).map(\.text)
    #expect(
      !help.dropFirst(2).contains { $0.hasSuffix("…") },
      "the help fits 80 columns and 24 rows"
    )
    #expect(help.contains { $0.hasSuffix("control-C: quit") })
  }

  @Test("tells the server's rates, and none before the server knows them")
  func rates() {
    var name = WatchSample.Name("a", [])
    #expect(TopPicture.NameRow(sample: name, kind: "subject").came == nil)
    let row = Value(json: #"["well","","s",1,0,1,1,[2.5,2,0.5]]"#).elements
    name = WatchSample.Name("a", row)
    let told = TopPicture.NameRow(sample: name, kind: "pipeline")
    #expect([told.came, told.went, told.lost] == [2.5, 2, 0.5])
    #expect(told.isHeldUp)
  }

  @Test("has codes for a terminal only where there are colours")
  func colors() {
    #expect(TopLine("a", .bad).shown(colored: true) == "\u{1b}[31ma\u{1b}[0m")
    #expect(
      TopLine("a", .warning, isSelected: true).shown(colored: true) == "\u{1b}[7;33ma\u{1b}[0m"
    )
    #expect(TopLine("a").shown(colored: true) == "a")
    #expect(TopLine("a", .bad, isSelected: true).shown(colored: false) == "a")
  }

  @Test("waits for a verdict, and says so")
  func looking() throws {
    var picture = TopPicture()
    picture.add(try #require(WatchAnswer(rows: TopPictures.rows(at: 10, isJudged: false))))
    #expect(!picture.isReady)
    let view = TopView(picture: picture, state: Self.state(), server: "x", columns: 80)
    #expect(view.screen(rows: 6)[1].text == "looking at what runs…")
    picture.add(try #require(WatchAnswer(rows: TopPictures.rows(at: 1200))))
    #expect(picture.isReady)
  }

  @Test("forgets what a server knew that has begun anew")
  func restart() throws {
    var picture = TopPictures.picture()
    #expect(picture.isReady)
    picture.add(try #require(WatchAnswer(rows: TopPictures.rows(at: 50))))
    #expect(!picture.isReady)
    #expect(picture.went == nil)
  }

  @Test(
    "shares are whole percents, 100 together",
    arguments: [
      ([1, 1, 1], [34, 33, 33]), ([0, 0, 9], [0, 0, 100]), ([1, 0, 199], [1, 0, 99]),
    ]
  )
  func percents(_ counts: [Int], _ percents: [Int]) {
    #expect(TopPicture.percents(counts)?.reduce(0, +) == 100)
    #expect(TopPicture.percents(counts) == percents)
    #expect(TopPicture.percents([0, 0, 0]) == nil)
  }

  @Test("sorts names", arguments: TopSort.allCases)
  func sorts(_ sort: TopSort) {
    let names = TopPictures.picture().names(by: sort).map(\.name)
    #expect(names.count == 5)
    switch sort {
    case .verdict: #expect(names == ["slow", "taps", "n0", "n1", "n2"])
    case .name: #expect(names == ["n0", "n1", "n2", "slow", "taps"])
    case .in, .out: #expect(names.first == "n0")
    case .drops, .lost, .subscriptions: #expect(names.first == "slow")
    }
  }

  @Test("is text, JSON and CSV with the same content")
  func reports() {
    let all = TopReport(picture: TopPictures.picture(), name: nil, sort: .verdict)
    #expect(
      all.json().hasPrefix(
        #"{"at":12000,"server":{"version":"0.1.0","connections":12,"streams":9,"busy":0.061,"#
          + #""in_rate":3000,"out_rate":1000},"verdict":{"code":"stage","name":"slow","#
          + #""who":"flatMap","lost":500,"held_up":2,"#
      )
    )
    #expect(all.json().utf8.allSatisfy { $0 >= 32 && $0 != 127 })
    #expect(
      all.rows()[0]
        == "12000,slow,pipeline,stage,flatMap,sbw,36000,3000.0,24000,2000.0,6000,500.0,2"
    )
    #expect(all.rows().count == 5)
    let one = TopReport(picture: TopPictures.picture(), name: "slow", sort: .verdict)
    #expect(
      one.rows()[2]
        == "12000,slow,2,flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 0.04) },flatMap,"
        + "0,100,0,24000,2000.0,24000,2000.0,3,,3,3,6,16384,0,0.0"
    )
    #expect(one.header.split(separator: ",").count == 20)
    #expect(one.json().contains(#""starved":0,"working":100,"blocked":0"#))
    #expect(one.json().contains(#""verdict":{"code":"stage","text":"Loses 500/s"#))
    #expect(one.json().contains(#""delivery":{"count":99,"p50":40,"p99":1250}"#))
    #expect(one.json().contains(#""stalled_ms":12040,"unread":true"#))
  }
}

extension Unicode.Scalar {
  /// Whether a terminal does something else than to show it.
  fileprivate var isObeyed: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
