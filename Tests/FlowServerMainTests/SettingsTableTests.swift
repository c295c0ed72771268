import FlowServer
import Testing

@testable import FlowServerMain

@Suite("settings in force")
struct SettingsTableTests {
  private func rows(
    _ line: String,
    _ environment: [String: String] = [:],
    file: String = ""
  ) throws -> [String: SettingsTable.Row] {
    let words = line.split(separator: " ").map(String.init)
    let arguments = try ServerArguments(words, environment: environment)
    let server = Server(configuration: arguments.checking)
    try server.load(file, file: "shop.flow")
    let rows = SettingsTable(arguments, server.settings).rows
    return Dictionary(rows.map { ($0.name, $0) }) { first, _ in
      Issue.record("\(first.name) twice")
      return first
    }
  }

  private func row(_ name: String, _ value: String, _ place: String) -> SettingsTable.Row {
    SettingsTable.Row(name: name, value: value, place: place)
  }

  @Test("without anything all is as usual")
  func usual() throws {
    let rows = try rows("config")
    #expect(rows.values.allSatisfy { $0.place == "default" })
    #expect(rows["listen"]?.value == "127.0.0.1:3569, [::1]:3569")
    #expect(rows["http"]?.value == "127.0.0.1:8569")
    #expect(rows["set drain"]?.value == "30s")
    #expect(rows["set value-limit"]?.value == "1MiB")
    #expect(rows["set slice"]?.value == "2ms")
    #expect(rows["set nats"]?.value == "" && rows["set nats-prefix"]?.value == "flow")
    for option in ServerOption.allCases where ![.version, .help].contains(option) {
      #expect(rows[option.rawValue] != nil || rows["set \(option.rawValue)"] != nil, "\(option)")
    }
  }

  @Test("an option wins over the environment, which wins over a file, which wins over the default")
  func order() throws {
    let file = "set memory 100MiB\n\nset drain 10s\nset nats a:1\nset window 5000\n"
    let environment = ["FLOWSERVER_MEMORY": "200MiB", "FLOWSERVER_LISTEN": ":1,:2"]
    var rows = try rows("config", file: file)
    #expect(rows["set memory"] == row("set memory", "100MiB", "shop.flow:1"))
    #expect(rows["set drain"] == row("set drain", "10s", "shop.flow:3"))
    #expect(rows["set nats"] == row("set nats", "a:1", "shop.flow:4"))
    #expect(rows["set window"] == row("set window", "5000", "shop.flow:5"))
    rows = try self.rows("config", environment, file: file)
    #expect(rows["set memory"] == row("set memory", "200MiB", "FLOWSERVER_MEMORY"))
    #expect(rows["listen"] == row("listen", ":1, :2", "FLOWSERVER_LISTEN"))
    let line = "config --memory 300MiB --nats b:2,c:3 --listen-proxy :9 --insecure-open"
    rows = try self.rows(line, environment, file: file)
    #expect(rows["set memory"] == row("set memory", "300MiB", "--memory"))
    #expect(rows["set nats"] == row("set nats", "b:2,c:3", "--nats"))
    #expect(rows["listen-proxy"] == row("listen-proxy", ":9", "--listen-proxy"))
    #expect(rows["insecure-open"] == row("insecure-open", "on", "--insecure-open"))
    #expect(rows["listen"] == row("listen", ":1, :2", "FLOWSERVER_LISTEN"))
    rows = try self.rows("config --http-proxy unix:/a --http-proxy :8")
    #expect(rows["http-proxy"] == row("http-proxy", "unix:/a, :8", "--http-proxy"))
    #expect(rows["http"] == row("http", "", "default"))
  }

  @Test("each is a line of three columns")
  func text() throws {
    let arguments = try ServerArguments(["config", "--http", "off"], environment: [:])
    let settings = Server(configuration: arguments.checking).settings
    let lines = SettingsTable(arguments, settings).text.split(separator: "\n")
    #expect(lines.count == SettingsTable(arguments, settings).rows.count)
    let http = lines.first { $0.hasPrefix("http ") }?.split(separator: " ")
    #expect(http == ["http", "off", "--http"])
    #expect(lines.contains { $0.split(separator: " ") == ["token-file", "-", "default"] })
  }
}
