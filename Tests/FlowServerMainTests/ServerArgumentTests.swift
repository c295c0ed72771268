import FlowServer
import Programs
import Testing

@testable import FlowServerMain

@Suite("server's command line")
struct ServerArgumentTests {
  private func parse(
    _ line: String,
    _ environment: [String: String] = [:]
  ) throws(StartError) -> ServerArguments {
    try ServerArguments(line.split(separator: " ").map(String.init), environment: environment)
  }

  @Test("nothing means to serve")
  func nothing() throws {
    #expect(try parse("") == ServerArguments())
  }

  @Test("flags, in any place and repeated")
  func flags() throws {
    let result = try parse(
      "-c a.flow --listen :0 demo --config=b.flow --listen=unix:/tmp/x "
        + "--ports-file p --token-file t --log-level debug --log-format json --insecure-open"
    )
    #expect(
      result
        == ServerArguments(
          task: .demo,
          files: ["a.flow", "b.flow"],
          addresses: [":0", "unix:/tmp/x"],
          portsFile: "p",
          tokenFile: "t",
          logLevel: .debug,
          logFormat: .json,
          isOpen: true,
          places: [
            .config: "--config", .listen: "--listen", .portsFile: "--ports-file",
            .tokenFile: "--token-file", .logLevel: "--log-level", .logFormat: "--log-format",
            .insecureOpen: "--insecure-open",
          ]
        )
    )
  }

  @Test("a flag wins over the environment, which wins over the default")
  func environment() throws {
    let environment = ["FLOWSERVER_LISTEN": ":1,:2", "FLOWSERVER_LOG_LEVEL": "error"]
    #expect(try parse("", environment).addresses == [":1", ":2"])
    #expect(try parse("--listen :3", environment).addresses == [":3"])
    #expect(try parse("--listen :3", environment).logLevel == .error)
    #expect(try parse("", ["FLOWSERVER_LISTEN": ""]).addresses == [])
  }

  @Test("tasks")
  func tasks() throws {
    #expect(try parse("check a b").task == .check(["a", "b"]))
    #expect(try parse("demo --help").task == .help)
    #expect(try parse("demo --nats").startsNATS)
    #expect(try parse("--nats demo").startsNATS)
    #expect(try parse("demo --nats --listen :0").startsNATS)
    #expect(try parse("demo --nats a:1").nats == ["a:1"])
    #expect(try !parse("demo --nats a:1").startsNATS)
    #expect(try parse("config").task == .config)
    #expect(try parse("-V").task == .version)
  }

  @Test(
    "refuses what is wrong and says what is right",
    arguments: [
      ("--lisen :0", "unknown option \"--lisen\"; did you mean \"--listen\"?"),
      ("--listen", "--listen needs a value: --listen ADDRESS"),
      ("--help=1", "--help takes no value, but was given \"1\""),
      ("--log-level all", "--log-level is \"all\", expected one of debug, info, warning, error"),
      ("--log-format xml", "--log-format is \"xml\", expected one of auto, text, logfmt, json"),
      ("dmo", "unknown command \"dmo\"; did you mean \"demo\"?"),
      ("check", "check needs a FILE"),
      ("demo x", "unexpected argument \"x\""), ("config x", "unexpected argument \"x\""),
      ("--nats", "--nats needs a value: --nats HOST:PORT,…"),
      ("demo --nats --nats a:1", "--nats is given twice, once without a value"),
    ]
  )
  func refusal(_ line: String, _ message: String) {
    let error = #expect(throws: StartError.self) { try parse(line) }
    #expect(error?.message == message)
    #expect(error?.exit == .usage)
  }

  @Test("the environment's mistakes name the variable")
  func environmentMistake() {
    let error = #expect(throws: StartError.self) { try parse("", ["FLOWSERVER_LOG_LEVEL": "x"]) }
    #expect(error?.message.hasPrefix("FLOWSERVER_LOG_LEVEL is \"x\"") == true)
  }

  @Test("help shows every option and exit code within two screens, and how variables are named")
  func help() {
    let text = ServerHelp.text()
    for option in ServerOption.allCases {
      #expect(text.contains("--\(option.rawValue)"))
      let name = option.rawValue.uppercased().replacing("-", with: "_")
      #expect(option.variable == (option.entry.value == nil ? nil : "FLOWSERVER_\(name)"))
    }
    #expect(text.contains("FLOWSERVER_LOG_LEVEL for"))
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 61)
    for code in ServerExit.allCases { #expect(text.contains("  \(code.rawValue) ")) }
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    #expect(text.hasPrefix("usage: FlowServer [OPTION…]  "))
  }
}

@Suite("addresses to listen on")
struct ListenAddressTests {
  @Test(
    "only this machine reaches loopback and sockets of the file system",
    arguments: [
      ("127.0.0.1:3569", true), ("127.9.8.7:1", true), ("[::1]:0", true), ("localhost:1", true),
      (":3569", true), ("unix:/tmp/x", true), ("0.0.0.0:3569", false), ("[::]:3569", false),
      ("10.0.0.1:1", false), ("127.0.0.1.example.org:1", false), ("3569", false),
    ]
  )
  func local(_ address: String, _ isLocal: Bool) {
    let refuses = (try? ListenAddress.check([address], isOpen: false)) == nil
    #expect(refuses == !isLocal)
  }

  @Test("the ports file names the kind of address")
  func ports() {
    #expect(ListenAddress.portsLine("127.0.0.1:41234") == "tcp 127.0.0.1:41234")
    #expect(ListenAddress.portsLine("unix:/tmp/x") == "unix /tmp/x")
  }
}

@Suite("demo")
struct DemoTests {
  @Test("says what to paste, for the address and the programs at hand")
  func invitation() {
    let usual = Demo.invitation(address: "127.0.0.1:3569", program: "FlowServer")
    #expect(usual.contains("\n  nc 127.0.0.1 3569\n"))
    #expect(usual.contains("\n  flowclient sub slow\n"))
    let built = Demo.invitation(address: "127.0.0.1:99", program: ".build/debug/FlowServer")
    #expect(built.contains("\n  .build/debug/flowclient -s 127.0.0.1:99 sub slow\n"))
    #expect(Demo.invitation(address: "[::1]:5", program: "x").contains("nc ::1 5"))
    #expect(Demo.invitation(address: "unix:/tmp/s", program: "x").contains("nc -U /tmp/s"))
    #expect(!usual.contains("on=nats"))
    let shared = Demo.invitation(address: "127.0.0.1:99", nats: "127.0.0.1:7", program: "bin/x")
    #expect(shared.contains("\n  SUBJECT jobs flow=slowest on=nats\n"))
    #expect(shared.contains("\n  bin/x --listen 127.0.0.1:4051 --nats 127.0.0.1:7\n"))
    #expect(shared.contains("\n  seq 100 | bin/flowclient -s 127.0.0.1:99 send jobs\n"))
  }

  @Test("names the page, a port that it had to take, and a flowclient that is not built")
  func circumstances() {
    let usual = Demo.invitation(address: "127.0.0.1:3569", program: "x/release/FlowServer")
    #expect(!usual.contains("Another program") && !usual.contains("swift build"))
    #expect(usual.hasPrefix("\nA Flow server with samples listens at 127.0.0.1:3569. "))
    #expect(usual.contains("\n\nA slow reader, ") && !usual.contains("\n\n\n"))
    let moved = Demo.invitation(
      address: "127.0.0.1:99",
      hasMoved: true,
      page: "http://127.0.0.1:98/",
      program: "x/release/FlowServer",
      lacksClient: true
    )
    #expect(moved.contains("\nAnother program listens at 127.0.0.1:3569, "))
    #expect(moved.contains(" open http://127.0.0.1:98/ in a browser.\n"))
    #expect(moved.contains("\n  swift build -c release --product flowclient\n"))
    #expect(moved.contains("\n  x/release/flowclient -s 127.0.0.1:99 top orders\n"))
    #expect(!moved.contains("\n\n\n"))
  }
}
