package import FlowServer
import Programs

/// The settings from the command line and the environment.
package struct ServerArguments: Equatable {
  package enum Task: Equatable {
    case serve
    case demo
    case check([String])
    case config
    case version
    case help
  }

  package enum LogFormat: String, CaseIterable {
    case auto, text, logfmt, json
  }

  var task = Task.serve
  var files: [String] = []
  /// Empty for the usual addresses.
  var addresses: [String] = []
  /// Addresses where only a proxy connects.
  var proxyAddresses: [String] = []
  package var web = WebPlace.usual
  /// Addresses of the page where only a proxy connects.
  var webProxyAddresses: [String] = []
  /// Origins that may open WebSockets, besides the page itself.
  var webOrigins: [String] = []
  var webShowsValues = false
  var portsFile: String?
  var tokenFile: String?
  package var logLevel = ServerLogEvent.Level.info
  var logFormat = LogFormat.auto
  var threads = 1
  /// In bytes; `nil` is the default.
  var memory: Int?
  var isOpen = false
  /// The NATS servers; `nil` leaves this to the files.
  var nats: [String]?
  /// Which option or variable set each value that is not a default.
  var places: [ServerOption: String] = [:]
  /// Whether the demo starts its own NATS.
  var startsNATS = false
  var natsLogin: String?
}

extension ServerArguments {
  /// Parses the words after the program's name; options take precedence over the environment.
  package init(_ words: [String], environment: [String: String]) throws(StartError) {
    do throws(UsageError) {
      try read(words, environment)
    } catch {
      throw StartError(.usage, error.message, advice: error.advice)
    }
  }

  private mutating func read(
    _ words: [String],
    _ environment: [String: String]
  ) throws(UsageError) {
    let table = ServerOption.allCases.map(\.entry)
    let words = try ProgramWords(takeNATS(of: words), by: table, advice: Self.seeHelp)
    for option in words.options { try set(option) }
    let given = Set(words.options.map(\.name))
    for name in ServerOption.allCases where !given.contains(name) {
      guard let place = name.variable, let text = environment[place], !text.isEmpty else {
        continue
      }
      let values = name.isRepeatable ? text.split(separator: ",").map(String.init) : [text]
      for value in values { try set(GivenOption(name: name, value: value, source: place)) }
    }
    if task == .serve { task = try Self.task(words.operands) }
    if startsNATS, nats != nil {
      throw UsageError("--nats is given twice, once without a value", advice: Self.seeHelp)
    }
  }

  /// Removes `--nats` without a value, which means the demo's own.
  private mutating func takeNATS(of words: [String]) -> [String] {
    guard words.contains("demo"), let place = words.firstIndex(of: "--nats"),
      words.dropFirst(place + 1).first.map({ $0.hasPrefix("-") || $0 == "demo" }) ?? true
    else { return words }
    startsNATS = true
    return Array(words[..<place] + words[(place + 1)...])
  }

  /// The configuration for checking files: they may name a NATS, which is not contacted.
  var checking: Configuration {
    var configuration = Configuration()
    configuration.stores = Host.stores
    configuration.nats.servers = nats ?? []
    if nats != nil { configuration.settled.insert("nats") }
    if let memory {
      configuration.memory = memory
      configuration.settled.insert("memory")
    }
    configuration.nats.connects = false
    return configuration
  }

  private mutating func set(
    _ option: GivenOption<ServerOption>
  ) throws(UsageError) {
    let value = option.value
    places[option.name] = option.source
    switch option.name {
    case .config: files.append(value)
    case .listen: addresses.append(value)
    case .listenProxy: proxyAddresses.append(value)
    case .http: web = value == "off" ? .none : .at(value)
    case .httpProxy: webProxyAddresses.append(value)
    case .httpOrigin:
      guard value == "null" || WebPlace.isOrigin(value) else {
        throw option.refusal("http://HOST[:PORT], https://HOST[:PORT] or null")
      }
      webOrigins.append(value)
    case .httpShowValues: webShowsValues = true
    case .portsFile: portsFile = value
    case .tokenFile: tokenFile = value
    case .logLevel: logLevel = try option.choice()
    case .logFormat: logFormat = try option.choice()
    case .threads:
      guard let count = Int(value), (1...64).contains(count) else {
        throw option.refusal("1 to 64")
      }
      threads = count
    case .memory:
      guard let size = Configuration.size(value), size >= Self.leastMemory else {
        throw option.refusal("64MiB or more")
      }
      memory = size
    case .nats:
      guard let servers = Configuration.natsServers(value) else {
        let tls =
          "HOST:PORT,… without a scheme; for TLS, the address of a local nats-server that is a leaf node"
        throw option.refusal(value.contains("://") ? tls : "HOST:PORT,…")
      }
      nats = servers
    case .natsLogin: natsLogin = value
    case .insecureOpen: isOpen = true
    case .version: task = .version
    case .help: task = .help
    }
  }

  private static func task(_ operands: [String]) throws(UsageError) -> Task {
    guard let word = operands.first else { return .serve }
    switch word {
    case "demo":
      guard operands.count == 1 else {
        throw UsageError("unexpected argument \"\(operands[1])\"", advice: seeHelp)
      }
      return .demo
    case "check":
      guard operands.count > 1 else {
        throw UsageError("check needs a FILE", advice: "as in: FlowServer check shop.flow")
      }
      return .check(Array(operands.dropFirst()))
    case "config":
      guard operands.count == 1 else {
        throw UsageError("unexpected argument \"\(operands[1])\"", advice: seeHelp)
      }
      return .config
    default:
      throw UsageError(
        unknown: "command",
        word,
        among: ["demo", "check", "config"],
        advice: seeHelp
      )
    }
  }

  private static let leastMemory = 64 << 20

  private static var seeHelp: String { "see FlowServer --help" }
}
