import FlowServer
import FlowTestSupport
import FlowTransport
import Foundation
import Glibc
import Synchronization
import Testing

@testable import FlowServerMain

@Suite("The lines of the server's log")
struct LogLayoutTests {
  /// A moment: 2026-11-25T09:30:25.104Z.
  private static let time: Int64 = 1_795_599_025_104_999_999

  private func line(_ form: LogLayout.Form, _ event: ServerLogEvent) -> String {
    LogLayout(form).line(event, at: Self.time)
  }

  /// What is behind the time of the day, which is that of the machine.
  private func text(_ event: ServerLogEvent) -> String {
    let line = line(.text, event)
    let clock = line.prefix(12)
    #expect(clock.hasSuffix(":25.104") && clock.split(separator: ":").count == 3, "\(line)")
    return String(line.dropFirst(12))
  }

  private static let events: [(event: ServerLogEvent, text: String, logfmt: String, json: String)] =
    [
      (
        ServerLogEvent(
          .info,
          "listening",
          "listening on 127.0.0.1:3569",
          [.text("address", "127.0.0.1:3569")]
        ),
        " info     listening on 127.0.0.1:3569",
        #"level=info event=listening address=127.0.0.1:3569 msg="listening on 127.0.0.1:3569""#,
        #""level":"info","event":"listening","address":"127.0.0.1:3569","#
          + #""msg":"listening on 127.0.0.1:3569"}"#
      ),
      (
        ServerLogEvent(
          .warning,
          "slow-turn",
          "the loop was busy for 1.2 s",
          [.number("ms", 1200), .text("doing", "client=3 SEND")]
        ),
        " warning  the loop was busy for 1.2 s",
        #"level=warning event=slow-turn ms=1200 doing="client=3 SEND" "#
          + #"msg="the loop was busy for 1.2 s""#,
        #""level":"warning","event":"slow-turn","ms":1200,"doing":"client=3 SEND","#
          + #""msg":"the loop was busy for 1.2 s"}"#
      ),
      (
        ServerLogEvent(.error, "x", "é ☃", [.text("a", ""), .text("b", "é"), .text("c", "{}")]),
        " error    é ☃",
        #"level=error event=x a="" b="é" c={} msg="é ☃""#,
        #""level":"error","event":"x","a":"","b":"é","c":"{}","msg":"é ☃"}"#
      ),
      (
        ServerLogEvent(.debug, "signal", "signal 1"),
        " debug    signal 1",
        #"level=debug event=signal msg="signal 1""#,
        #""level":"debug","event":"signal","msg":"signal 1"}"#
      ),
    ]

  @Test("each event in each form")
  func forms() {
    for row in Self.events {
      #expect(text(row.event) == row.text)
      #expect(line(.logfmt, row.event) == "time=2026-11-25T09:30:25.104Z " + row.logfmt)
      #expect(line(.json, row.event) == #"{"time":"2026-11-25T09:30:25.104Z","# + row.json)
    }
  }

  /// What might look like another line, another field, or be obeyed by a terminal.
  private static let forgeries = [
    "a\n09:30:25.104 error    b", "a\r\nb", "a\u{1B}[31mb", "a\u{1B}]0;title\u{7}b", "a\u{9B}31mb",
    "a\u{85}b", "a\u{2028}b", "a\u{2029}b", "a\u{202E}b\u{202C}", "a\u{2066}b\u{2069}",
    "a\u{200E}b\u{200F}", "a\" level=error event=\"b", "a=b", "a b=c", "a\\", "a\\\" event=b",
    "\u{0}", "\u{7F}", "\u{E0041}", "\u{FEFF}", "a\u{B}b\u{C}c", "\t", "'", "a\u{61C}b",
    "</script>", String(repeating: "\u{301}", count: 1000),
  ]

  @Test("nothing that a client says ends a line, is obeyed, or looks like another field")
  func forging() throws {
    struct Object: Decodable, Equatable {
      let name: String
      let msg: String
    }
    for bad in Self.forgeries {
      let event = ServerLogEvent(.info, "defined", "defined \(bad)", [.text("name", bad)])
      let lines = [text(event), line(.logfmt, event), line(.json, event), "\(event)"]
      for line in lines {
        #expect(line.unicodeScalars.allSatisfy { isHarmless($0) }, "\(line.debugDescription)")
      }
      let isLong = bad.utf8.count > 1000
      let object = try JSONDecoder().decode(Object.self, from: Data(lines[2].utf8))
      if !isLong { #expect(object == Object(name: bad, msg: "defined \(bad)")) }
      let fields = try logfmtFields(lines[1])
      #expect(fields.map(\.key) == ["time", "level", "event", "name", "msg"], "\(lines[1])")
      if !isLong { #expect(fields.map(\.text).suffix(2) == [bad, "defined \(bad)"]) }
    }
  }

  private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 9: true
    case ..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E,
      0x2066...0x2069:
      false
    default: true
    }
  }

  /// Reads a line as programs do that read logfmt: bare words, or strings of JSON.
  private func logfmtFields(_ line: String) throws -> [(key: String, text: String)] {
    var fields: [(key: String, text: String)] = []
    var rest = Array(line.unicodeScalars)[...]
    while !rest.isEmpty {
      let key = rest.prefix { $0 != "=" }
      rest = rest.dropFirst(key.count + 1)
      var text = ""
      if rest.first == "\"" {
        var end = rest.startIndex + 1
        while rest[end] != "\"" { end += rest[end] == "\\" ? 2 : 1 }
        var quoted = ""
        quoted.unicodeScalars.append(contentsOf: rest[...end])
        text = try JSONDecoder().decode(String.self, from: Data(quoted.utf8))
        rest = rest[(end + 1)...]
      } else {
        text.unicodeScalars.append(contentsOf: rest.prefix { $0 != " " })
        rest = rest.drop { $0 != " " }
      }
      #expect(rest.isEmpty || rest.first == " ", "\(line)")
      rest = rest.dropFirst()
      var name = ""
      name.unicodeScalars.append(contentsOf: key)
      fields.append((name, text))
    }
    return fields
  }

  @Test("the longest texts leave a line whole")
  func long() throws {
    for piece in ["x", "\u{1B}", "☃", "\"", "\u{E0041}", "\u{10FFFF}"] {
      let text = String(repeating: piece, count: 100_000)
      let fields = (1...6).map { ServerLogEvent.Field.text("f\($0)", text) }
      let event = ServerLogEvent(.info, "long", text, fields)
      for form in [LogLayout.Form.text, .logfmt, .json] {
        let line = line(form, event)
        #expect(line.utf8.count < LogQueue.longestLine)
        #expect(line.contains("…") && !line.contains("\u{FFFD}"))
        if form == .json {
          #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
      }
    }
  }

  private func output(_ isTerminal: Bool, _ journal: String?) -> LogOutput {
    LogOutput(
      isTerminal: isTerminal,
      device: 9,
      inode: 4711,
      environment: journal.map { ["JOURNAL_STREAM": $0] } ?? [:]
    )
  }

  @Test("text to a terminal and to the journal, logfmt elsewhere, or what is asked for")
  func detection() {
    func layout(_ format: ServerArguments.LogFormat, _ output: LogOutput) -> LogLayout {
      LogLayout(format, to: output)
    }
    #expect(layout(.auto, output(true, nil)) == LogLayout(.text))
    #expect(layout(.auto, output(false, nil)) == LogLayout(.logfmt))
    #expect(layout(.auto, output(false, "9:4711")) == LogLayout(.text, isForJournal: true))
    #expect(layout(.json, output(false, "9:4711")) == LogLayout(.json, isForJournal: true))
    #expect(layout(.json, output(true, nil)) == LogLayout(.json))
    #expect(layout(.text, output(false, nil)) == LogLayout(.text))
    // Inherited by a process whose standard error was led elsewhere.
    for other in ["9:4712", "8:4711", "", "9", "9:4711 ", "09:4711", "9:", ":"] {
      #expect(layout(.auto, output(false, other)) == LogLayout(.logfmt), "\(other)")
      #expect(layout(.auto, output(true, other)) == LogLayout(.text), "\(other)")
    }
  }

  @Test("the journal gets a priority before each line, and no time of ours in text")
  func journal() {
    let priorities: [(ServerLogEvent.Level, Int)] = [
      (.debug, 7), (.info, 6), (.warning, 4), (.error, 3),
    ]
    for (level, number) in priorities {
      let event = ServerLogEvent(level, "x", "<0>a\n<1>b")
      let text = LogLayout(.text, isForJournal: true).line(event, at: Self.time)
      #expect(text == "<\(number)><0>a\\n<1>b")
      let json = LogLayout(.json, isForJournal: true).line(event, at: Self.time)
      #expect(json.hasPrefix(#"<\#(number)>{"time":"2026-"#))
    }
  }

  /// Keeps its log, and has a time of its own.
  private final class Page: SystemPlatform, @unchecked Sendable {  // locked
    private let bytes = Mutex<[UInt8]>([])

    override var calendarNanoseconds: Int64 { LogLayoutTests.time }

    override func log(_ new: ArraySlice<UInt8>) -> Bool {
      bytes.withLock { $0 += new }
      return true
    }

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
  }

  @Test("a level that is off puts nothing into words")
  func levels() {
    for (place, level) in ServerLogEvent.Level.allCases.enumerated() {
      let page = Page()
      let log = ServerLog(level: level, layout: LogLayout(.text), platform: page)
      var made = 0
      func say(_ text: String) -> String {
        made += 1
        return text
      }
      for level in ServerLogEvent.Level.allCases { log.log(level, "x", say("\(level)")) }
      log.flush(withinNanoseconds: UInt64(Patience.seconds) * 1_000_000_000)
      #expect(made == 4 - place)
      #expect(page.text.split(separator: "\n").count == 4 - place)
    }
  }

  @Test("why the server does not start is an event, unless a person reads")
  func notStarted() {
    let report = "a:1:1: error\n  x\n  ^"
    let error = StartError(.badConfiguration, "1 error in the files", advice: report)
    func said(_ layout: LogLayout) -> String? {
      let page = Page()
      let log = ServerLog(level: .error, layout: layout, platform: page)
      guard log.tells(error) else { return nil }
      log.flush(withinNanoseconds: UInt64(Patience.seconds) * 1_000_000_000)
      return page.text
    }
    #expect(said(LogLayout(.text)) == nil)
    #expect(
      said(LogLayout(.text, isForJournal: true))
        == "<3>1 error in the files\n<3>a:1:1: error\n<3>  x\n<3>  ^\n"
    )
    #expect(
      said(LogLayout(.logfmt))
        == #"time=2026-11-25T09:30:25.104Z level=error event=not-started "#
        + #"advice="a:1:1: error\n  x\n  ^" msg="1 error in the files""# + "\n"
    )
  }
}
