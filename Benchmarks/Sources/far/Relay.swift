import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// A long way to a port: what comes goes on after a delay, in both directions, no faster than `rate`.
///
/// It is a link with hardly a queue before it: what the link has not taken within 10 ms is not
/// read, so that the sender's kernel keeps it.
final class Relay: Sendable {
  let port: UInt16
  private let listener: Int32
  private let target: UInt16
  private let delay: UInt64
  /// Bytes a second; 0 is no limit.
  private let rate: Double

  init(to target: UInt16, delay: UInt64, rate: Double) {
    (listener, port) = Sockets.listen(Self.limitBuffer)
    self.target = target
    self.delay = delay
    self.rate = rate
    Thread.detachNewThread { self.accept() }
  }

  /// The queue of a router; the kernel would make one of megabytes.
  private static func limitBuffer(_ descriptor: Int32) {
    Sockets.set(descriptor, SOL_SOCKET, SO_RCVBUF, 128 << 10)
  }

  private func accept() {
    while true {
      let near = Glibc.accept(listener, nil, nil)
      guard near >= 0 else { return }
      Sockets.set(near, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
      let far = Sockets.connect(to: target, Self.limitBuffer)
      Way(from: near, to: far, delay: delay, rate: rate).start()
      Way(from: far, to: near, delay: delay, rate: rate).start()
    }
  }

  func close() { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// One direction of a connection: a thread that reads, and one that writes what is due.
///
/// Unchecked: `pieces` and `waiting` are locked, the rest is used by one thread.
private final class Way: @unchecked Sendable {
  /// The most that the receiver may leave waiting, besides what is on its way.
  private static let slack = 1 << 20

  private let source: Int32
  private let target: Int32
  private let delay: UInt64
  private let rate: Double
  private let condition = NSCondition()
  private var pieces: [(due: UInt64, bytes: [UInt8])] = []
  private var waiting = 0
  private var isOver = false

  init(from source: Int32, to target: Int32, delay: UInt64, rate: Double) {
    self.source = source
    self.target = target
    self.delay = delay
    self.rate = rate
  }

  func start() {
    Thread.detachNewThread { self.read() }
    Thread.detachNewThread { self.write() }
  }

  private var most: Int {
    rate == 0 ? 256 << 20 : Int(rate * Double(delay + 10_000_000) / 1e9) + Self.slack
  }

  private func read() {
    let queue: UInt64 = 10_000_000
    var departure: UInt64 = 0
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if departure > now() + queue { wait(until: departure - queue) }
      condition.lock()
      while waiting > most, !isOver { condition.wait() }
      let isOver = isOver
      condition.unlock()
      let count = isOver ? 0 : recv(source, &buffer, buffer.count, 0)
      let length = rate == 0 ? 0 : UInt64(Double(max(0, count)) / rate * 1e9)
      departure = max(departure, now()) + length
      condition.lock()
      pieces.append((departure + delay, Array(buffer[..<max(0, count)])))
      waiting += max(0, count)
      condition.signal()
      condition.unlock()
      if count <= 0 { return }
    }
  }

  /// An empty piece is the end.
  private func write() {
    while true {
      condition.lock()
      while pieces.isEmpty { condition.wait() }
      let taken = pieces
      pieces = []
      condition.unlock()
      for piece in taken {
        wait(until: piece.due)
        guard !piece.bytes.isEmpty, Sockets.send(target, piece.bytes) else {
          for end in [source, target] { shutdown(end, Int32(SHUT_RDWR)) }
          condition.lock()
          isOver = true
          condition.signal()
          condition.unlock()
          return
        }
        condition.lock()
        waiting -= piece.bytes.count
        condition.signal()
        condition.unlock()
      }
    }
  }
}
