import FlowCore
import FlowFiles
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import FlowWire
import Testing

@testable import FlowServer

/// Each number at the edge in each place of each command, option, frame and setting: the server
/// answers or closes that connection, and goes on.
///
/// Made from the tables of commands and settings, so that a new one is tried without anybody's
/// thinking of it.
@Suite("Edge numbers on the wire")
struct EdgeNumberTests {
  private static let numbers = [
    "-9223372036854775808", "-1", "-0", "0", "1", "2", "1024", "4096", "65535", "65536", "65537",
    "4294967296", "9007199254740991", "9007199254740992", "9007199254740993",
    "9223372036854775806", "9223372036854775807", "9223372036854775808", "18446744073709551615",
    "18446744073709551616", "99999999999999999999999999", "1e308", "0.5", "max", "",
  ]

  private static let times = numbers.flatMap { number in
    ["", "ms", "s", "m"].map { number + $0 }
  }

  private static let sizes = numbers.flatMap { number in
    ["", "KiB", "MiB"].map { number + $0 }
  }

  private static let ids =
    numbers
    + numbers.flatMap { ["1.\($0)", "\($0).1"] } + ["1.1.1", ".", "1.", "9007199254740992.1"]

  /// What may be written for a word of a command's form, and what is usual; nil is no such word.
  private static func choices(_ word: String) -> (usual: String, edges: [String])? {
    switch word {
    case "N", "LEN": ("2", numbers)
    case "ID": ("7", ids)
    case "DUR": ("5s", times)
    case "SIZE": ("64KiB", sizes)
    case "VALUE": ("1", numbers)
    case "TEXT": ("1", numbers)
    case "NAME", "SUBJECT": ("s", [])
    case "PATTERN": ("s/*", [])
    case "EXPR": ("s", [])
    case "WORD": ("demand", [])
    case "CODE": ("odd", [])
    case "TOKEN": ("1234", [])
    case "CLIENT", "STREAM": (word, [])
    default: word.allSatisfy { $0.isUppercase } ? nil : (word, [])
    }
  }

  /// A field of a form: `N`, `[as=ID]` or `[passthrough | current VALUE | replay N]`.
  private struct Field {
    var isOptional: Bool
    /// The alternatives, each with the key before it, if there is one.
    var choices: [String]

    static func all(of form: String) -> [Field] {
      var fields: [Field] = []
      var rest = form[...]
      while let first = rest.first {
        if first == " " {
          rest = rest.dropFirst()
        } else if first == "[" {
          let text = rest.prefix { $0 != "]" }.dropFirst()
          rest = rest.dropFirst(text.count + 2)
          fields.append(Field(isOptional: true, choices: split(text)))
        } else {
          let text = rest.prefix { $0 != " " }
          rest = rest.dropFirst(text.count)
          fields.append(Field(isOptional: false, choices: split(text)))
        }
      }
      return fields
    }

    private static func split(_ text: Substring) -> [String] {
      let equals = text == "=" ? nil : text.firstIndex(of: "=")
      let key = equals.map { String(text[...$0]) } ?? ""
      let rest = equals.map { text[text.index(after: $0)...] } ?? text
      return rest.split(separator: "|").map { key + $0.filter { $0 != " " || text.contains(" ") } }
    }

    /// The words of one choice; a key is no part of them.
    static func words(_ choice: String) -> (key: String, words: [String]) {
      guard let equals = choice.firstIndex(of: "="), equals != choice.startIndex else {
        return ("", choice.split(separator: " ").map(String.init))
      }
      return (String(choice[...equals]), [String(choice[choice.index(after: equals)...])])
    }
  }

  /// The lines that `form` stands for with each edge in each place.
  private func lines(_ form: String) throws -> [String] {
    if !form.contains("["), form.contains(" | ") {
      // Each alternative is all that follows the verb.
      let verb = form.prefix { $0 != " " }
      return try form.dropFirst(verb.count).replacing(" | ", with: "\n").split(separator: "\n")
        .flatMap { try self.lines("\(verb) \($0)") }
    }
    let fields = Field.all(of: form)
    var lines: [String] = []
    for (place, field) in fields.enumerated() {
      for choice in field.choices {
        let (key, words) = Field.words(choice)
        for (index, word) in words.enumerated() {
          let isVerb = place == 0
          let choices = isVerb ? (word, []) : Self.choices(word)
          let edges = try #require(choices, "what is \(word) in \(form)?").edges
          for edge in edges {
            var parts: [String] = []
            for (other, field) in fields.enumerated() {
              if other == place {
                let filled = words.enumerated().map { number, word in
                  number == index ? edge : Self.choices(word)?.usual ?? ""
                }
                parts.append(key + filled.joined(separator: " "))
              } else if !field.isOptional {
                let (key, words) = Field.words(field.choices[0])
                parts.append(
                  key + words.map { Self.choices($0)?.usual ?? $0 }.joined(separator: " ")
                )
              }
            }
            lines.append(parts.joined(separator: " "))
          }
        }
      }
    }
    return lines
  }

  /// What comes before each line, and then what may be done with what it has made.
  private static let before = [
    "SUBJECT other flow=slowest stall=1s", "PUB other as=1", "SERVE ask as=3",
  ]
  private static let after = [
    "SUB s as=11", "SUB s max as=12", "SEND s 1", "REQ 7 1", "REQ 7 9223372036854775807",
    "REQ 7 max",
    "REQ 1 9223372036854775806", "REQ 1 9223372036854775807", "= 7 5", "= 1 5", "= 7.1 5",
    "SEND s 2",
    "LIST streams", "SHOW s", "CANCEL 11", "DONE 7", "CANCEL 1", "DONE s", "DELETE s",
  ]

  /// Says `lines` on a connection of their own, and waits until the server has answered or closed.
  private func play(_ lines: [String], on server: TestServer) throws {
    let client = try TestClient(port: server.port)
    let text = (Self.before + lines + Self.after + ["QUIT now", ""]).joined(separator: "\n")
    // It may close while it is spoken to.
    try? client.send(Array(text.utf8))
    client.endInput()
    _ = try? client.bytesToTheEnd()
  }

  /// Says `lines` on a connection of their own, some of which may wait for a while, and breaks it.
  private func playAndBreak(_ lines: [String], on server: TestServer) throws {
    let client = try TestClient(port: server.port)
    try? client.send(Array((Self.before + lines + Self.after + [""]).joined(separator: "\n").utf8))
    try client.waitForArrival()
    for _ in 0..<3 {
      server.readWhatWaits()
      server.advance(seconds: 20)
    }
    client.reset()
  }

  /// Lets nearly all the time pass that there is.
  private func passAllTime(_ server: TestServer) {
    server.server.perform { engine in
      for _ in 0..<3 {
        engine.clock.show(.init(nanoseconds: engine.now + 100_000_000_000))
        for _ in 0..<1000 where engine.clock.runFirstDue() {}
      }
      engine.clock.show(.init(nanoseconds: .max - 1_000_000_000_000_000))
      for _ in 0..<1000 where engine.clock.runFirstDue() {}
    }
  }

  private func expectAlive(_ server: TestServer) throws {
    let client = try TestClient(port: server.port)
    _ = try client.line()
    #expect(try client.ask("PING") == "PONG")
  }

  @Test("in each place of each command and frame", arguments: CommandTable.all.map(\.form))
  func commands(form: String) throws {
    let server = try TestServer()
    for line in try RandomCases.selection(of: lines(form), from: form.utf8.count) {
      let named = form.hasPrefix("SUBJECT") ? [] : ["SUBJECT s replay 2 flow=slowest"]
      try play(named + [line], on: server)
      guard !form.hasPrefix("HELLO") else { continue }
      try play(["HELLO 1"] + named + [line], on: server)
    }
    try expectAlive(server)
    passAllTime(server)
  }

  @Test("in a stall, which the slowConsumers are measured by")
  func stalls() throws {
    for time in Self.times {
      let server = try TestServer()
      let (client, publisher) = (try server.connect(), try server.connect())
      try client.say(
        "SUBJECT s flow=slowest stall=\(time)",
        "SUBJECT s flow=slowest",
        "SUB s",
        "SUB s max",
        "PING"
      )
      _ = try client.rest(until: "PONG")
      try publisher.say("PUB s as=9", "= 9 1", "SEND s 1")
      try client.waitUntil(2, waitAt: "s")
      passAllTime(server)
      try expectAlive(server)
    }
  }

  @Test("in each setting", arguments: SettingKey.allCases)
  func settings(key: SettingKey) throws {
    let server = try TestServer()
    let values = Set(Self.numbers + Self.times + Self.sizes).sorted()
    for value in RandomCases.selection(of: values, from: key.rawValue.utf8.count)
    where (try? server.server.load("set \(key.rawValue) \(value)\n", file: "edge.flow")) != nil {
      for lines in [
        ["SUBJECT s flow=slowest", "SUB s 2 as=7", "TAKE s 2 within=1s"],
        ["HELLO 1 ping=5s", "SUBJECT s replay 1", "PUB s as=7", "SUB s max as=8"],
      ] {
        try playAndBreak(lines, on: server)
      }
    }
    try server.server.load("", file: "edge.flow")
    try expectAlive(server)
    passAllTime(server)
  }

  @Test("in the times and numbers of pipelines that a server runs")
  func pipelines() throws {
    let server = try TestServer()
    for number in RandomCases.selection(of: Self.numbers) {
      for text in [
        "output(at: \(number))", "delay(for: \(number))", "timeout(\(number))", "retry(\(number))",
        "buffer(size: \(number), prefetch: .keepFull, whenFull: .dropOldest)",
        "flatMap(maxPublishers: .max(\(number))) { Just($0) }", "dropFirst(\(number))",
      ] {
        try play(
          ["SUBJECT s", "SUB s.\(text) 1 as=7", "SUB (-1...\(number)).publisher.\(text) 1 as=8"],
          on: server
        )
        try play(
          ["SUBJECT s", "PIPELINE p = s.\(text)", "SUB p 2 as=7", "RUN r = p.assign(to: other)"],
          on: server
        )
        try play(["DELETE r", "DELETE p", "DELETE other"], on: server)
      }
    }
    try expectAlive(server)
    passAllTime(server)
  }
}
