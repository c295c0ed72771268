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
    let tokenFile = arguments.tokenFile.map(TokenFile.init)
    let tokens = try tokenFile?.read() ?? []
    if let warning = tokenFile?.warning { log.info(warning) }
    let host = Host(log: log, tokens: tokens, threads: arguments.threads)
    log.info("FlowServer \(version)")
    let files = DefinitionFiles(arguments.files, demo: program == nil ? nil : Demo.definitions)
    let reading = try files.load(into: host.server)
    host.reloadOnSignal(files, tokens: tokenFile)
    let isOpen = arguments.isOpen || !tokens.isEmpty
    let addresses = try host.listen(on: arguments.addresses, isOpen: isOpen)
    for address in addresses { log.info("listening on \(address)") }
    for file in reading.files { log.info("read \(file)") }
    if !arguments.isHTTPOff { log.info("no page: it comes with a later version") }
    if let file = arguments.portsFile {
      try Files.replace(file, with: addresses.map { "\(ListenAddress.portsLine($0))\n" }.joined())
    }
    if let program, let address = addresses.first {
      Console.output(Demo.invitation(address: address, program: program))
    }
    host.serveUntilStopped()
  }

  private static var environment: [String: String] {
    let names = ServerOption.allCases.compactMap(\.variable)
    let pairs = names.compactMap { name in getenv(name).map { (name, String(cString: $0)) } }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}
