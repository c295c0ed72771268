import FlowServer
import Spelling

/// What the server is asked to do, from its arguments and its environment.
package struct ServerArguments: Equatable {
  package enum Task: Equatable {
    case serve
    case demo
    case check([String])
    case version
    case help
  }

  package enum LogLevel: String, CaseIterable {
    case error, info, debug
  }

  var task = Task.serve
  var files: [String] = []
  /// Empty: the usual addresses.
  var addresses: [String] = []
  var portsFile: String?
  var tokenFile: String?
  package var logLevel = LogLevel.info
  var threads = 1
  /// In bytes; `nil` is the default.
  var memory: Int?
  var isOpen = false
}

extension ServerArguments {
  /// Reads the words after the program's name; what no flag says, the environment may.
  package init(_ words: [String], environment: [String: String]) throws(StartError) {
    var given: Set<ServerOption> = []
    var operands: [String] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let (option, value) = try Self.split(word, &rest)
      given.insert(option)
      try set(option, value, "\(word.prefix { $0 != "=" })")
    }
    for option in ServerOption.allCases where !given.contains(option) {
      guard let name = option.variable, let value = environment[name], !value.isEmpty else {
        continue
      }
      switch option {
      case .config, .listen:
        for part in value.split(separator: ",") { try set(option, String(part), name) }
      default: try set(option, value, name)
      }
    }
    if task == .serve { task = try Self.task(operands) }
  }

  private static func split(
    _ word: String,
    _ rest: inout ArraySlice<String>
  ) throws(StartError) -> (ServerOption, String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let option = ServerOption.allCases.first { option in
      name == "--\(option.rawValue)" || option.entry.short.map { name == "-\($0)" } ?? false
    }
    guard let option else {
      let bare = String(name.drop { $0 == "-" })
      let near = nearest(to: bare, among: ServerOption.allCases.map(\.rawValue))
      let hint = near.map { "; did you mean --\($0)?" } ?? ""
      throw StartError(.usage, "there is no option \(name)\(hint)", advice: seeHelp)
    }
    guard let placeholder = option.entry.value else {
      guard parts.count == 1 else { throw StartError(.usage, "\(name) takes no value") }
      return (option, "")
    }
    guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
      throw StartError(.usage, "\(name) needs a value: \(name) \(placeholder)")
    }
    return (option, value)
  }

  private mutating func set(
    _ option: ServerOption,
    _ value: String,
    _ place: String
  ) throws(StartError) {
    switch option {
    case .config: files.append(value)
    case .listen: addresses.append(value)
    case .portsFile: portsFile = value
    case .tokenFile: tokenFile = value
    case .logLevel:
      guard let level = LogLevel(rawValue: value) else {
        let levels = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
        throw StartError(.usage, "\(place) is '\(value)', expected one of \(levels)")
      }
      logLevel = level
    case .threads:
      guard let count = Int(value), (1...64).contains(count) else {
        throw StartError(.usage, "\(place) is '\(value)', expected 1 to 64")
      }
      threads = count
    case .memory:
      guard let size = Configuration.size(value), size >= Self.leastMemory else {
        throw StartError(.usage, "\(place) is '\(value)', expected 64MiB or more")
      }
      memory = size
    case .insecureOpen: isOpen = true
    case .version: task = .version
    case .help: task = .help
    }
  }

  private static func task(_ operands: [String]) throws(StartError) -> Task {
    guard let word = operands.first else { return .serve }
    switch word {
    case "demo":
      guard operands.count == 1 else {
        throw StartError(.usage, "demo takes no '\(operands[1])'", advice: seeHelp)
      }
      return .demo
    case "check":
      guard operands.count > 1 else {
        throw StartError(.usage, "check needs a FILE", advice: "as in: FlowServer check shop.flow")
      }
      return .check(Array(operands.dropFirst()))
    default:
      let near = nearest(to: word, among: ["demo", "check"])
      let hint = near.map { "; did you mean \($0)?" } ?? ""
      throw StartError(.usage, "there is no command '\(word)'\(hint)", advice: seeHelp)
    }
  }

  private static let leastMemory = 64 << 20

  private static var seeHelp: String { "FlowServer --help lists them" }
}
