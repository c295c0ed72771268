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
    let platform = SystemPlatform.shared
    let log = ServerLog(level: arguments.logLevel, platform: platform)
    defer { log.flush() }
    let tokenFile = arguments.tokenFile.map { TokenFile(path: $0, platform: platform) }
    let tokens = try tokenFile?.read()
    if let warning = tokenFile?.warning { log.info(warning) }
    let manager = manager(log)
    ProcessMemory.keepHeapSmall()
    signal(SIGPIPE, SIG_IGN)
    EventLoop.raiseDescriptorLimit()
    let host = Host(
      log: log,
      tokens: tokens,
      threads: arguments.threads,
      memory: arguments.memory,
      manager: manager
    )
    log.info("FlowServer \(version)")
    let files = DefinitionFiles(arguments.files, demo: program == nil ? nil : Demo.definitions)
    let reading = try host.load(files)
    host.reloadOnSignal(files, tokens: tokenFile)
    let isOpen = arguments.isOpen || tokens != nil
    let addresses = try host.listen(on: arguments.addresses, isOpen: isOpen)
    for address in addresses { log.info("listening on \(address)") }
    for file in reading.files { log.info("read \(file)") }
    if !arguments.isHTTPOff { log.info("no page: it comes with a later version") }
    if let file = arguments.portsFile {
      let lines = addresses.map { "\(ListenAddress.portsLine($0))\n" }
      try platform.replaceFile(file, with: lines.joined())
    }
    if let program, let address = addresses.first {
      log.flush()
      Console.output(Demo.invitation(address: address, program: program))
    }
    host.serveUntilStopped()
    log.flush()
    // Nothing is taken apart under threads that go on.
    _exit(ServerExit.done.rawValue)
  }

  /// The manager of services that has started the server, if one has.
  private static func manager(_ log: ServerLog) -> ServiceManager? {
    do throws(TransportError) {
      return try ServiceManager(environment)
    } catch {
      log.info("warning: the service manager is told nothing: \(error)")
      return nil
    }
  }

  private static var environment: [String: String] {
    let names = ServerOption.allCases.compactMap(\.variable) + ServiceManager.variables
    let pairs = names.compactMap { name in
      unsafe getenv(name).map { unsafe (name, String(cString: $0)) }
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}
