internal import Glibc

/// A failure that ends a test.
public struct TestFailure: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }

  /// Says that `awaited` did not come before the deadline.
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
  /// The number of bytes passed to the kernel.
  public private(set) var sent = 0

  /// Connects to a port of a loopback address, by default 127.0.0.1.
  public init(port: UInt16, host: UInt32 = 0x7F00_0001) throws {
    // Close-on-exec: a program that another test starts must not keep the socket open.
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

  /// Wraps the server's side of a connection.
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

  /// Closes the sending side; reading goes on.
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

  /// Sends as much of `bytes` as the kernel takes without waiting; returns the rest.
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

  /// Waits for the next line, and returns it without its end.
  public func line() throws -> String {
    while true {
      if let end = endOfLine {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      guard try readMore(for: "a line") else {
        throw TestFailure("closed after \(unread.count) bytes of a line")
      }
    }
  }

  /// Where the first unread line ends; unlike `firstIndex(of:)`, `memchr` is as fast in debug as in release.
  private var endOfLine: Int? {
    unread.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return nil }
      return memchr(start, 10, bytes.count).map { UnsafeRawPointer($0) - start }
    }
  }

  public func lines(_ count: Int) throws -> [String] {
    var lines: [String] = []
    for _ in 0..<count { lines.append(try line()) }
    return lines
  }

  /// Waits until the server closes; returns all lines.
  public func rest() throws -> [String] {
    String(decoding: try bytesToTheEnd(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Waits until the server closes; returns all bytes.
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

  /// Sends `line`, which has no answer, and `ping`; waits for the answer to `ping`.
  public func ask(_ line: String, answer ping: String) throws {
    try say(line, ping)
    _ = try self.line()
  }

  /// Waits for the line `last`; returns all lines up to it.
  public func rest(until last: String) throws -> [String] { try rest { $0 == last } }

  /// Waits for a line for which `isLast` returns true; returns all lines up to it.
  public func rest(until isLast: (String) -> Bool) throws -> [String] {
    var lines = [try line()]
    while let last = lines.last, !isLast(last) { lines.append(try line()) }
    return lines
  }

  /// Sends PING; returns all lines before its answer.
  public func linesSoFar() throws -> [String] {
    try say("PING so-far")
    return try rest(until: "PONG so-far").dropLast()
  }

  /// Whether all sent bytes have arrived at the other side's socket, or never will.
  public var hasArrived: Bool {
    var waiting: Int32 = 0
    if ioctl(socket, UInt(TIOCOUTQ), &waiting) != 0 || waiting == 0 { return true }
    // After a reset the kernel still counts discarded bytes.
    var descriptor = pollfd(fd: socket, events: 0, revents: 0)
    return poll(&descriptor, 1, 0) == 1
  }

  /// Waits until all sent bytes have arrived, or never will.
  public func waitForArrival() throws {
    try Patience.wait(for: "the arrival of '\(said.prefix(80))'") { hasArrived }
  }

  /// Returns all bytes that have arrived and were not read, without waiting.
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
