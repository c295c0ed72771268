internal import Glibc

/// What a test could not do.
public struct TestFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// Says that `awaited` has not come in the time that a test waits.
  init(waitedFor awaited: String, _ file: String, _ line: Int) {
    self.init("waited \(Patience.seconds) s for \(awaited) (\(file):\(line))")
  }
}

/// A plain socket to a server on this machine; every wait has a deadline.
public final class TestClient {
  private let socket: Int32
  private var unread: [UInt8] = []
  private var isOpen = true
  /// The last line sent, which a failure names.
  private var said = ""
  /// How many bytes the kernel has taken.
  public private(set) var sent = 0

  /// Connects to a port of this machine, whose addresses are 127.0.0.1 and 2^24 others.
  public init(port: UInt16, host: UInt32 = 0x7F00_0001) throws {
    // No program that another test starts meanwhile may hold it open.
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = host.bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw TestFailure("connect: errno \(errno)") }
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    limitSends()
  }

  /// Takes the server's side of a connection.
  init(accepted socket: Int32) {
    self.socket = socket
    limitSends()
  }

  deinit { close() }

  private func limitSends() {
    var patience = timeval(tv_sec: Patience.seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
  }

  public func close() {
    guard isOpen else { return }
    isOpen = false
    Glibc.close(socket)
  }

  /// Sends a reset instead of an end.
  public func reset() {
    var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    close()
  }

  /// Says that no more input comes, and reads on.
  public func endInput() { shutdown(socket, Int32(SHUT_WR)) }

  public func say(_ lines: String...) throws {
    said = lines.last ?? ""
    try send(Array((lines.joined(separator: "\n") + "\n").utf8))
  }

  public func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else {
        let isLate = errno == EAGAIN
        throw TestFailure(isLate ? "waited \(Patience.seconds) s to send" : "send: errno \(errno)")
      }
      sent += count
      rest = rest.dropFirst(count)
    }
  }

  /// Sends what the kernel takes at once of `bytes`, and returns the rest.
  public func sendSome(_ bytes: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
    let count = bytes.withUnsafeBytes {
      Glibc.send(
        socket,
        $0.baseAddress,
        $0.count,
        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
      )
    }
    guard count > 0 || errno == EAGAIN else { throw TestFailure("send: errno \(errno)") }
    sent += max(count, 0)
    return bytes.dropFirst(max(count, 0))
  }

  /// The next line, without its end.
  public func line() throws -> String {
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      guard try readMore(for: "a line") else {
        throw TestFailure("closed after '\(unread.count)' bytes")
      }
    }
  }

  public func lines(_ count: Int) throws -> [String] {
    var lines: [String] = []
    for _ in 0..<count { lines.append(try line()) }
    return lines
  }

  /// All that comes until the server closes.
  public func rest() throws -> [String] {
    String(decoding: try bytesToTheEnd(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// The bytes of all that comes until the server closes.
  public func bytesToTheEnd() throws -> [UInt8] {
    while try readMore(for: "the end") {}
    defer { unread = [] }
    return unread
  }

  /// Sends a line and returns its answer.
  public func ask(_ line: String) throws -> String {
    try say(line)
    return try self.line()
  }

  /// Sends `line`, which is not answered, and waits until the server has seen it.
  public func ask(_ line: String, answer ping: String) throws {
    try say(line, ping)
    _ = try self.line()
  }

  /// All lines up to `last`.
  public func rest(until last: String) throws -> [String] { try rest { $0 == last } }

  /// All lines up to the first that `isLast`.
  public func rest(until isLast: (String) -> Bool) throws -> [String] {
    var lines = [try line()]
    while let last = lines.last, !isLast(last) { lines.append(try line()) }
    return lines
  }

  /// What has come so far: everything before the answer to a PING.
  public func linesSoFar() throws -> [String] {
    try say("PING so-far")
    return try rest(until: "PONG so-far").dropLast()
  }

  /// Whether all that was sent has arrived at the other side's socket, or never will.
  public var hasArrived: Bool {
    var waiting: Int32 = 0
    if ioctl(socket, UInt(TIOCOUTQ), &waiting) != 0 || waiting == 0 { return true }
    // The kernel goes on counting what a reset has thrown away.
    var descriptor = pollfd(fd: socket, events: 0, revents: 0)
    return poll(&descriptor, 1, 0) == 1
  }

  /// Waits until all that was sent has arrived, or never will.
  public func waitForArrival() throws {
    try Patience.wait(for: "the arrival of '\(said.prefix(80))'") { hasArrived }
  }

  /// What has come and was not read yet; does not wait.
  public func bytesSoFar() -> [UInt8] {
    var bytes = unread
    unread = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = buffer.withUnsafeMutableBytes {
        recv(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
      }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  private func readMore(for awaited: String) throws -> Bool {
    var descriptor = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    var ready: Int32
    repeat {
      ready = poll(&descriptor, 1, Int32(Patience.seconds * 1000))
    } while ready < 0 && errno == EINTR
    guard ready > 0 else {
      throw TestFailure(
        "waited \(Patience.seconds) s for \(awaited) from the other side; last sent: '\(said.prefix(80))'"
      )
    }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = buffer.withUnsafeMutableBytes { recv(socket, $0.baseAddress, $0.count, 0) }
    guard count > 0 else { return false }
    unread += buffer[..<count]
    return true
  }
}
