/// The samples of `FlowServer demo`, and what to type to see them at work.
enum Demo {
  static let definitions = """
    SUBJECT taps
    SUBJECT numbers
    SUBJECT orders flow=slowest
    PIPELINE ticks = Timer.publish(every: .seconds(1)).autoconnect()
    PIPELINE even = numbers.filter { $0 % 2 == 0 }.map { $0 * 10 }
    PIPELINE slow = taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)
      .flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }
    """

  /// What to paste, for a server at `address` whose programs are called as `program` was.
  static func invitation(address: String, program: String) -> String {
    let folder = program.lastIndex(of: "/").map { String(program[...$0]) } ?? ""
    let isUsual = address == ListenAddress.usual[0]
    let client = "\(folder)flowclient" + (isUsual ? "" : " -s \(address)")
    let netcat = netcat(address)
    return """

      Defined here:
      \(definitions.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))

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

  private static func netcat(_ address: String) -> String {
    if address.hasPrefix("unix:") { return "nc -U \(address.dropFirst(5))" }
    guard let colon = address.lastIndex(of: ":") else { return "nc \(address)" }
    let host = address[..<colon].filter { $0 != "[" && $0 != "]" }
    return "nc \(host) \(address[address.index(after: colon)...])"
  }
}
