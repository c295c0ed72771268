import Dispatch
import FlowServer
package import FlowTransport
import Glibc

/// The program `FlowServer`, from command line to exit code.
package enum ServerProgram {
  package static func run(_ words: [String]) -> Never {
    StandardStreams.openMissing()
    do {
      let arguments = try ServerArguments(Array(words.dropFirst()), environment: environment)
      switch arguments.task {
      case .help: Console.output(ServerHelp.text())
      case .version: Console.output("FlowServer \(Server.version)\n")
      case .check(let files):
        try DefinitionFiles(files).load(into: Server(configuration: arguments.checking))
        Console.output(files.map { "\($0): ok\n" }.joined())
      case .config:
        let server = Server(configuration: arguments.checking)
        try DefinitionFiles(arguments.files).load(into: server)
        Console.output(SettingsTable(arguments, server.settings).text)
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

  /// Serves until a signal stops it.
  private static func serve(
    _ arguments: ServerArguments,
    demoOf program: String? = nil
  ) throws(StartError) {
    let layout = LogLayout(arguments.logFormat, to: .standardError(environment))
    let log = ServerLog(level: arguments.logLevel, layout: layout)
    defer { log.flush() }
    do throws(StartError) {
      try serve(arguments, demoOf: program, log)
    } catch {
      guard log.tells(error) else { throw error }
      log.flush()
      exit(error.exit.rawValue)
    }
  }

  private static func serve(
    _ arguments: ServerArguments,
    demoOf program: String?,
    _ log: ServerLog
  ) throws(StartError) {
    let passed = try PassedSockets(environment)
    // Child processes must not take the sockets.
    for name in PassedSockets.variables { unsafe unsetenv(name) }
    ProcessMemory.keepHeapSmall()
    // A failed write must return an error, not end the program. The others have no handler yet.
    for number in [SIGPIPE, SIGXFSZ, SIGUSR1, SIGUSR2, SIGHUP] { signal(number, SIG_IGN) }
    EventLoop.raiseDescriptorLimit()
    let nats = arguments.startsNATS ? try DemoNATS(on: SystemPlatform.shared) : nil
    var arguments = arguments
    if let nats { arguments.nats = [nats.address] }
    let demo = program == nil ? nil : Demo.definitions(on: nats?.address)
    let (host, addresses, page) = try start(
      arguments,
      demo: demo,
      passed: passed,
      log: log,
      manager: manager(log)
    )
    if let program, let address = addresses.first {
      log.flush()
      let isAsked = !arguments.addresses.isEmpty || !passed.sockets(for: .flow).isEmpty
      let client = Demo.clientName(beside: program)
      Console.output(
        Demo.invitation(
          address: address,
          hasMoved: !isAsked && address != ListenAddress.usual[0],
          page: page,
          nats: nats?.address,
          program: program,
          lacksClient: unsafe client.contains("/") && access(client, X_OK) != 0
        )
      )
    }
    host.serveUntilStopped()
    log.flush()
    nats?.stop()
    // Skips destructors, because other threads still run.
    _exit(ServerExit.done.rawValue)
  }

  /// Starts a server with `arguments` and the `passed` sockets, and handles signals.
  ///
  /// - Returns: the host, its real addresses, and the page's address for a browser.
  package static func start(
    _ arguments: ServerArguments,
    demo: String? = nil,
    passed: PassedSockets = PassedSockets(),
    log: ServerLog,
    manager: ServiceManager? = nil,
    on platform: any Platform = SystemPlatform.shared
  ) throws(StartError) -> (host: Host, addresses: [String], page: String?) {
    let tokenFile = arguments.tokenFile.map { TokenFile(path: $0, platform: platform) }
    let tokens = try tokenFile?.read()
    tokenFile?.warn(log)
    let loginFile = arguments.natsLogin.map { NATSLoginFile(path: $0, platform: platform) }
    let login = try loginFile?.read()
    loginFile?.warn(log)
    let host = Host(
      log: log,
      tokens: tokens,
      threads: arguments.threads,
      memory: arguments.memory,
      nats: arguments.nats ?? [],
      natsLogin: login ?? .none,
      webOrigins: arguments.webOrigins,
      webShowsValues: arguments.webShowsValues,
      manager: manager,
      platform: platform
    )
    log.log(.info, "start", "FlowServer \(Server.version)", [.text("version", Server.version)])
    let files = DefinitionFiles(arguments.files, demo: demo)
    let reading = try host.load(files)
    host.reloadOnSignal(files, tokens: tokenFile)
    host.meetNATS()
    let isOpen = arguments.isOpen || tokens != nil
    let proxied = try host.listen(
      at: passed.sockets(for: .proxy),
      on: arguments.proxyAddresses,
      behindProxy: true,
      isOpen: arguments.isOpen
    )
    var addresses = try host.listen(
      at: passed.sockets(for: .flow),
      on: arguments.addresses,
      isOpen: isOpen
    )
    if addresses.isEmpty, proxied.isEmpty {
      addresses = try host.listenAsUsual(mayMove: demo != nil)
    }
    let proxiedPages = try host.listen(
      at: passed.sockets(for: .httpProxy),
      on: arguments.webProxyAddresses,
      forPage: true,
      behindProxy: true,
      isOpen: arguments.isOpen
    )
    let pages = try host.serveWeb(
      at: passed.sockets(for: .http),
      and: arguments.web,
      isElsewhere: !proxiedPages.isEmpty,
      mayMove: demo != nil,
      isOpen: isOpen
    )
    for address in addresses {
      log.log(.info, "listening", "listening on \(address)", [.text("address", address)])
    }
    for address in proxied {
      let text = "listening on \(address) for a proxy"
      log.log(.info, "listening", text, [.text("address", address), .text("proxy", "yes")])
    }
    for page in pages {
      let link = ListenAddress.link(page)
      log.log(.info, "page", "page on \(link)", [.text("address", link)])
    }
    for page in proxiedPages {
      let text = "page on \(page) for a proxy"
      log.log(.info, "page", text, [.text("address", page), .text("proxy", "yes")])
    }
    for file in reading.files { log.log(.info, "read", "read \(file)", [.text("file", file)]) }
    if let file = arguments.portsFile {
      let lines =
        addresses.map { "\(ListenAddress.portsLine($0))\n" } + proxied.map { "proxy \($0)\n" }
        + pages.map { "http \($0)\n" } + proxiedPages.map { "http-proxy \($0)\n" }
      try platform.replaceFile(file, with: lines.joined())
    }
    return (host, addresses, pages.first.map(ListenAddress.link))
  }

  private static func manager(_ log: ServerLog) -> ServiceManager? {
    do throws(TransportError) {
      return try ServiceManager(environment)
    } catch {
      log.log(.warning, "not-notified", "cannot notify the service manager: \(error)")
      return nil
    }
  }

  private static var environment: [String: String] {
    let names =
      ServerOption.allCases.compactMap(\.variable) + ServiceManager.variables
      + PassedSockets.variables + [LogOutput.variable]
    let pairs = names.compactMap { name in
      unsafe getenv(name).map { unsafe (name, String(cString: $0)) }
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }
}
