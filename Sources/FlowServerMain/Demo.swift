/// The samples of `FlowServer demo`, and what to type to see them at work.
enum Demo {
  /// The definitions; with a NATS there is a subject on it.
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
    PIPELINE slow = taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)
      .flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }
    """

  /// What to paste, for a server at `address`, with this page and this NATS, whose programs are called as
  /// `program` was.
  static func invitation(
    address: String,
    page: String? = nil,
    nats: String? = nil,
    program: String
  ) -> String {
    let folder = program.lastIndex(of: "/").map { String(program[...$0]) } ?? ""
    let isUsual = address == ListenAddress.usual[0]
    let client = "\(folder)flowclient" + (isUsual ? "" : " -s \(address)")
    let netcat = netcat(address)
    let defined = definitions(on: nats).split(separator: "\n").map { "  \($0)\n" }.joined()
    let others = nats.map { servers($0, address, program, folder) } ?? ""
    // A browser does not find what is at the path of a socket.
    let link = page.flatMap { $0.hasPrefix("http:") ? $0 : nil }
    let look = link.map { "\nTo see who holds up what, open \($0) in a browser.\n" } ?? ""
    return "\nDefined here:\n\(defined)" + look + others + """

      With netcat, in a second terminal (press control-C to stop):
        \(netcat)
        SUB slow max
      and in a third, eight taps, three at a time, three seconds each:
        (printf 'SEND taps %s\\n' 1 2 3 4 5 6 7 8; echo QUIT) | \(netcat)

      The same with flowclient:
        \(client) sub slow
        seq 8 | \(client) send taps

      Demand by hand, one press of the space bar for each tick:
        \(client) sub ticks --manual

      A fast publisher held back by a slow reader, without loss (in two terminals):
        \(client) sub orders --delay 200ms
        seq 100 | \(client) send orders

      More: \(client) list, \(client) help, or any definition above typed into netcat.

      """
  }

  /// What to type to see two servers on one NATS.
  private static func servers(
    _ nats: String,
    _ address: String,
    _ program: String,
    _ folder: String
  ) -> String {
    let client = "\(folder)flowclient"
    return """

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
