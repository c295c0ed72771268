import FlowTestSupport
import FlowWire
import Testing

@testable import flowclient

@Suite("Lanes of marble")
struct LaneDrawingTests {
  private static let column: UInt64 = 100

  private func lane(_ name: String, _ events: [(UInt64, Lane.Happening)]) -> Lane {
    var lane = Lane(name)
    for (time, what) in events { lane.add(what, at: time * Self.column) }
    return lane
  }

  private func draw(
    _ lanes: [Lane],
    width: Int = 27,
    isASCII: Bool = false,
    to now: UInt64 = 119
  ) -> [String] {
    LaneDrawing(width: width, isASCII: isASCII, column: Self.column)
      .lines(lanes, from: 100 * Self.column, to: now * Self.column)
  }

  @Test("a value ends in its column, and lines begin where the looking on began")
  func values() {
    let a = lane(
      "a",
      [(102, .value("1")), (105, .value("25")), (110, .value("abc")), (119, .value("x"))]
    )
    let b = lane("bcd", [(103, .value("7")), (112, .finished)])
    #expect(draw([a, b]) == ["a      --1-25--abc--------x", "bcd    ---7--------|       "])
  }

  @Test("what has no room is a sign, and several are counted", arguments: [false, true])
  func crowded(_ isASCII: Bool) {
    let a = lane(
      "a",
      [
        (101, .value("10")), (102, .value("20")), (103, .value("30")), (110, .value("1")),
        (110, .value("2")), (111, .value("3")), (111, .value("4")), (115, .leftOut(9)),
        (117, .value("z")), (117, .failed("x")),
      ]
    )
    let line = draw([a], width: 22, isASCII: isASCII)[0]
    #expect(line == (isASCII ? "a 10**--[1 2]#---~-^  " : "a 10●●--[1 2]■---~-^  "))
  }

  @Test("no line is wider than the terminal, whatever passes", arguments: [1, 5, 20, 60, 137, 200])
  func widths(_ width: Int) {
    var picture = MarblePicture(title: "marble \(String(repeating: "t", count: 300))")
    let texts = [
      "", "1", "日本語日本語日本語日本語", "\u{1b}[31mred\u{7}", "e\u{301}", "👩‍👩‍👧",
      String(repeating: "x", count: 500),
    ]
    for name in ["a", String(repeating: "long-", count: 25)] {
      var lane = Lane(name)
      for (place, text) in texts.enumerated() {
        lane.add(.value(DisplayText.visible(text)), at: UInt64(place) * 90 + 9_000)
        lane.add(.value("v"), at: UInt64(place) * 730 + 9_000)
      }
      lane.add(.leftOut(7), at: 11_800)
      lane.add(.failed(texts[3]), at: 11_890)
      picture.lanes.append(lane)
    }
    picture.stages = [
      "stage 0 orders in=5 out=5 dropped=0 held=0 consumed=0 demand=max",
      "stage 1 map { \"\(String(repeating: "日", count: 200)) a=5\" } in=999999999 out=1 dropped=1 held=1 consumed=1 demand=1",
    ]
    .map { Row($0) }
    #expect(picture.stages.count == 2)
    picture.trouble = String(repeating: "no ", count: 200)
    for isASCII in [false, true] {
      picture.isASCII = isASCII
      let content = picture.content(columns: width, column: 100, from: 8_000, to: 12_000)
      #expect(!content.contains("q quits"))
      for line in content where width >= 20 { #expect(DisplayText.width(line) <= width) }
      for rows in [2, 5, 24, 100] {
        let lines = picture.lines(columns: width, rows: rows, column: 100, from: 8_000, to: 12_000)
        #expect(lines.count <= rows)
        for line in lines where width >= 20 {
          #expect(DisplayText.width(line) <= width, "\(line)")
          #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
          #expect(!isASCII || line.utf8.allSatisfy { $0 < 0x80 }, "\(line)")
        }
      }
    }
  }
}

@Suite("marble --save")
struct MarbleRecordingTests {
  private func input(_ tick: UInt64, _ text: String?) -> LaneWatch.Input {
    LaneWatch.Input(time: tick * 100_000_000 + 5, payload: text.map { Array($0.utf8) })
  }

  @Test("rows have what came in, each value as a test reads it")
  func rows() {
    let recording = MarbleRecording(
      [
        ("a", [input(0, "1"), input(2, "x"), input(2, "12"), input(3, "it's"), input(4, nil)]),
        ("b", []),
      ],
      from: 0,
      length: 500_000_000
    )
    #expect(recording.rows == ["a 1-[x'12']'it\\'s'|-", "b ------"])
    #expect(recording.values == (4, 4))
  }

  @Test("too much is cut, and what no test can hold is left out")
  func cut() {
    let many = (0..<5_000).map { input(UInt64($0 / 100), "\($0)") }
    let recording = MarbleRecording([("a", many)], from: 0, length: 200_000_000_000)
    #expect(recording.ticks == 20)
    #expect(recording.values == (2_000, 5_000))
    let odd = [LaneWatch.Input(time: 1, payload: [0xFF]), input(1, "a\nb"), input(1, "\u{301}")]
    let other = MarbleRecording([("a", odd)], from: 0, length: 1_000_000_000)
    #expect(other.unwritable >= 1)
    #expect(other.rows[0].contains("'\"a\\\\nb\"'"))
  }
}
