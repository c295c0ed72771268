import FlowTestSupport
import Glibc

@testable import FlowTransport

/// The other end of a connection: a blocking socket whose calls give up after a while.
final class Peer {
  private(set) var descriptor: Int32

  init(_ address: SocketAddress) throws {
    descriptor = try ConnectedSocket(
      connectingTo: address,
      within: UInt64(Patience.seconds) * 1_000_000_000
    )
    .descriptor
    _ = fcntl(descriptor, F_SETFL, 0)
    Self.limitWaits(of: descriptor)
  }

  /// Has the calls of a blocking socket give up after a while.
  static func limitWaits(of descriptor: Int32) {
    var patience = timeval(tv_sec: Patience.seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
  }

  deinit {
    close()
  }

  /// Sends all of it; returns false if the connection does not take it.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(
          descriptor,
          $0.baseAddress.map { $0 + sent },
          bytes.count - sent,
          Int32(MSG_NOSIGNAL)
        )
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool {
    send(Array(text.utf8))
  }

  /// Sends over and over until the kernel would make it wait; returns how many bytes it took.
  func sendUntilBlocked(_ bytes: [UInt8], atMost limit: Int) -> Int {
    var total = 0
    while total < limit {
      let offset = total % bytes.count
      let count = bytes.withUnsafeBytes {
        let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT)
        return Glibc.send(
          descriptor,
          $0.baseAddress.map { $0 + offset },
          bytes.count - offset,
          flags
        )
      }
      if count < 0 {
        // Bytes on their way make room a little later.
        var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&state, 1, 200) == 0 { break }
        continue
      }
      total += count
    }
    return total
  }

  /// Reads exactly so many bytes, or what comes before the end.
  func read(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let more = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress.map { $0 + got }, count - got)
      }
      if more <= 0 { break }
      got += more
    }
    return Array(bytes.prefix(got))
  }

  func readText(_ count: Int) -> String {
    String(decoding: read(count), as: UTF8.self)
  }

  /// Reads until the other side's end; nil if that did not come in time.
  func readToEnd() -> [UInt8]? {
    var all: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      if count == 0 { return all }
      if count < 0 { return nil }
      all += bytes.prefix(count)
    }
  }

  /// Sends back what comes, without a pause, until the end.
  static func keepAnswering(_ descriptor: Int32) {
    var bytes = [UInt8](repeating: 0x78, count: 100)
    var count = bytes.count
    repeat {
      Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
      count = Glibc.read(descriptor, &bytes, bytes.count)
    } while count > 0
  }

  func endOutput() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Closes with a reset instead of an orderly end.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout<linger>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, size)
    close()
  }
}
