/// The definitions of `FlowServer demo`, and commands to try.
enum Demo {
  /// The definitions; with `nats`, one subject is on it.
  static func definitions(on nats: String?) -> String {
    nats == nil ? local : local + "\n" + shared
  }

  private static let shared = "SUBJECT jobs flow=slowest on=nats"

  private static let local = """
    SUBJECT taps
    SUBJECT numbers
    SUBJECT orders flow=slowest
    PIPELINE ticks = Timer.publish(every: .seconds(1)).autoconnect()
    PIPELINE even = numbers.filter { $0 % 2 == 0 }.map { $0 * 10 }
    PIPELINE slow = taps.buffer(size: 20, prefetch: .byRequest, whenFull: .dropOldest)
      .flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }
    """

  /// Returns the commands to paste; they call programs as `program` was called.
  ///
  /// `hasMoved` says that another program uses the usual address, `lacksClient` that there is no
  /// `flowclient` beside the program.
  static func invitation(
    address: String,
    hasMoved: Bool = false,
    page: String? = nil,
    nats: String? = nil,
    program: String,
    lacksClient: Bool = false
  ) -> String {
    let usual = ListenAddress.usual[0]
    let name = clientName(beside: program)
    let client = name + (address == usual ? "" : " -s \(address)")
    let netcat = netcat(address)
    let defined = definitions(on: nats).split(separator: "\n").map { "  \($0)\n" }.joined()
    let others = nats.map { servers($0, address, program, name) } ?? ""
    // A browser cannot open a Unix socket.
    let link = page.flatMap { $0.hasPrefix("http:") ? $0 : nil }
    let look = link.map { "To see live who holds up what, open \($0) in a browser.\n" } ?? ""
    let moved =
      hasMoved
      ? "Another program listens at \(usual), so the commands below name this server.\n" : ""
    let build =
      lacksClient
      ? "\nThere is no \(name) yet. To build it, in the folder of the sources:\n"
        + "  swift build -c \(name.contains("/debug/") ? "debug" : "release") --product flowclient\n"
      : ""
    return """

      A Flow server with samples listens at \(address). Control-C stops it.
      \(moved)\(look)\(build)
      A slow reader, a fast sender that has to wait for it, and who holds up whom (in three terminals):
        \(client) sub orders --delay 500ms
        seq 100 | \(client) send orders
        \(client) top orders

      Demand by hand, one press of the space bar for each tick:
        \(client) sub ticks --manual

      With netcat, in a second terminal (press control-C to stop):
        \(netcat)
        SUB slow max
      and in a third, eight taps, three at a time, three seconds each:
        (printf 'SEND taps %s\\n' 1 2 3 4 5 6 7 8; echo QUIT) | \(netcat)

      The same with flowclient:
        \(client) sub slow
        seq 8 | \(client) send taps
      \(others)
      Defined here:
      \(defined)
      More: \(client) list, \(client) help

      """
  }

  /// Returns how to call `flowclient` if it is in the folder of `program`.
  static func clientName(beside program: String) -> String {
    (program.lastIndex(of: "/").map { String(program[...$0]) } ?? "") + "flowclient"
  }

  /// Returns commands that show two servers on one NATS.
  private static func servers(
    _ nats: String,
    _ address: String,
    _ program: String,
    _ client: String
  ) -> String {
    """

    Two servers on one NATS, which is at \(nats). In a second terminal, another server:
      \(program) --listen 127.0.0.1:4051 --nats \(nats)
    in a third, one that reads from it, and goes on where it was if you stop and start it,
    with either server:
      \(client) -s 127.0.0.1:4051 sub jobs --durable printer --delay 200ms
    and in a fourth:
      seq 100 | \(client) -s \(address) send jobs
      \(client) -s \(address) show jobs

    """
  }

  private static func netcat(_ address: String) -> String {
    if address.hasPrefix("unix:") { return "nc -U \(address.dropFirst(5))" }
    guard let colon = address.lastIndex(of: ":") else { return "nc \(address)" }
    let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
    return "nc \(host) \(address[address.index(after: colon)...])"
  }
}
