import FlowCore
import FlowRemote
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// How many lines and bytes come in a time that begins after another one.
struct Span {
  let warmUp: UInt64
  let length: UInt64
}

struct Reading {
  var lines = 0
  var bytes = 0
  var seconds = 0.0
}

/// Who reads what comes; `ask` is told how many lines came, and may ask for more.
enum Readers {
  static func read(
    _ descriptor: Int32,
    _ span: Span,
    _ ask: (Int) -> Void = { _ in }
  ) -> Reading {
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    let start = now() + span.warmUp
    var began: UInt64?
    var reading = Reading()
    // A read that ended only when something comes would not see the end of the time.
    var patience = timeval(tv_sec: 0, tv_usec: 50_000)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_RCVTIMEO,
      &patience,
      socklen_t(MemoryLayout<timeval>.size)
    )
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      let time = now()
      if count == 0 || count < 0 && errno != EAGAIN { fatalError("the connection was lost") }
      let lines = count <= 0 ? 0 : buffer.withUnsafeBytes { lineEnds($0[..<count]) }
      if lines > 0 { ask(lines) }
      if let began {
        reading.lines += lines
        reading.bytes += max(0, count)
        if time >= began + span.length {
          reading.seconds = Double(time - began) / 1e9
          return reading
        }
      } else if time >= start {
        began = time
      }
    }
  }

  private static func lineEnds(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
    var count = 0
    for byte in UnsafeRawBufferPointer(rebasing: bytes) where byte == 10 { count += 1 }
    return count
  }

  /// Bytes and nothing else, as the link gives them.
  static func plain(_ port: UInt16, _ span: Span) -> Reading {
    let descriptor = Sockets.connect(to: port)
    defer { close(descriptor) }
    return read(descriptor, span)
  }

  /// A subscriber that keeps `demand` values requested, refilled at half; nil is no limit.
  static func fixed(_ port: UInt16, _ span: Span, demand: Int?, window: String) -> Reading {
    let descriptor = Sockets.connect(to: port)
    defer { close(descriptor) }
    let first = demand.map { "\($0)" } ?? "max"
    Sockets.send(descriptor, Array("HELLO 1\nSUB far \(first) as=1 window=\(window)\n".utf8))
    // The greeting, and two answers.
    var outstanding = (demand ?? 0) + 3
    return read(descriptor, span) { lines in
      guard let demand else { return }
      outstanding -= lines
      guard outstanding <= demand / 2 else { return }
      Sockets.send(descriptor, Array("REQ 1 \(demand - outstanding)\n".utf8))
      outstanding = demand
    }
  }

  /// `flowclient sub` with no options.
  static func flowclient(_ path: String, _ port: UInt16, _ span: Span) throws -> Reading {
    var ends: [Int32] = [0, 0]
    // A socket pair, for the time limit of its reads.
    precondition(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let program = Process()
    program.executableURL = URL(fileURLWithPath: path)
    program.arguments = ["-s", "127.0.0.1:\(port)", "sub", "far"]
    program.standardOutput = FileHandle(fileDescriptor: ends[1])
    try program.run()
    close(ends[1])
    defer {
      close(ends[0])
      kill(program.processIdentifier, SIGKILL)
      program.waitUntilExit()
    }
    return read(ends[0], span)
  }

  /// The values of a `RemotePublisher`, taken one after the other by a task.
  static func values(_ port: UInt16, _ span: Span) async throws -> Reading {
    let remote = try await FlowRemote.connect(to: "127.0.0.1:\(port)")
    defer { remote.close() }
    let start = now() + span.warmUp
    var began: UInt64?
    var reading = Reading()
    for try await value in remote.publisher("far").values {
      let time = now()
      if let began {
        reading.lines += 1
        reading.bytes += value.count
        guard time >= began + span.length else { continue }
        reading.seconds = Double(time - began) / 1e9
        return reading
      } else if time >= start {
        began = time
      }
    }
    return reading
  }
}
