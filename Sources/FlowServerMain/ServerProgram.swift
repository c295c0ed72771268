import Dispatch
import FlowServer
import FlowTransport
import Glibc

/// From the command line to the exit code.
enum ServerProgram {
  static let version = "0.1.0"

  static func run(_ words: [String]) -> Never {
    do {
      let arguments = try ServerArguments(Array(words.dropFirst()), environment: environment)
      switch arguments.task {
      case .help: Console.output(ServerHelp.text())
      case .version: Console.output("FlowServer \(version)\n")
      case .check(let files):
        try DefinitionFiles(files).load(into: Server())
        Console.output(files.map { "\($0): ok\n" }.joined())
      case .serve: try serve(arguments)
      case .demo: try serve(arguments, demoOf: words.first ?? "FlowServer")
      }
    } catch {
      Console.error("FlowServer: \(error.message)")
      if let advice = error.advice { Console.error(advice) }
      exit(error.exit.rawValue)
    }
    exit(ServerExit.done.rawValue)
  }

  /// Serves until a signal says to stop.
  private static func serve(
    _ arguments: ServerArguments,
    demoOf program: String? = nil
  ) throws(StartError) {
    let log = ServerLog(level: arguments.logLevel)
    let tokens = try arguments.tokenFile.map(tokens) ?? []
    if let file = arguments.tokenFile, Files.isReadableByOthers(file) {
      log.info("warning: others can read \(file); chmod 600 \(file)")
    }
    let host = Host(log: log, tokens: tokens)
    log.info("FlowServer \(version)")
    let files = DefinitionFiles(arguments.files, demo: program == nil ? nil : Demo.definitions)
    try files.load(into: host.server)
    host.reloadOnSignal(files)
    let isOpen = arguments.isOpen || !tokens.isEmpty
    let addresses = try host.listen(on: arguments.addresses, isOpen: isOpen)
    for address in addresses { log.info("listening on \(address)") }
    for file in arguments.files { log.info("read \(file)") }
    if !arguments.isHTTPOff { log.info("no page: it comes with a later version") }
    if let file = arguments.portsFile {
      try Files.replace(file, with: addresses.map { "\(ListenAddress.portsLine($0))\n" }.joined())
    }
    if let program, let address = addresses.first {
      Console.output(Demo.invitation(address: address, program: program))
    }
    host.serveUntilStopped()
  }

  private static func tokens(_ file: String) throws(StartError) -> [Token] {
    let text = try Files.read(file)
    do throws(ConfigurationError) {
      return try Token.all(in: text, file: file)
    } catch {
      throw StartError(.badConfiguration, error.description)
    }
  }

  private static var environment: [String: String] {
    let names = ServerOption.allCases.compactMap(\.variable)
    let pairs = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}
