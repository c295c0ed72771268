import Foundation

#if canImport(Glibc)
import Glibc
#endif

/// The few calls on sockets that wait, which is all that a benchmark needs.
enum Sockets {
  static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  static func make() -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    precondition(descriptor >= 0, "socket: \(String(cString: strerror(errno)))")
    return descriptor
  }

  static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// A socket that takes connections, and its port.
  static func listen(_ prepare: (Int32) -> Void = { _ in }) -> (descriptor: Int32, port: UInt16) {
    let descriptor = make()
    prepare(descriptor)
    var place = address(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 16) == 0
          && getsockname(descriptor, $0, &size) == 0
      }
    }
    precondition(isListening, "listen: \(String(cString: strerror(errno)))")
    return (descriptor, UInt16(bigEndian: place.sin_port))
  }

  static func connect(to port: UInt16, _ prepare: (Int32) -> Void = { _ in }) -> Int32 {
    let descriptor = make()
    prepare(descriptor)
    set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    var place = address(port)
    let isConnected = withUnsafeMutablePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    precondition(isConnected, "connect: \(String(cString: strerror(errno)))")
    return descriptor
  }

  /// Sends all; returns whether the peer still takes it.
  @discardableResult
  static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(
          descriptor,
          bytes.baseAddress! + sent,
          bytes.count - sent,
          Int32(MSG_NOSIGNAL)
        )
        if count <= 0 { return false }
        sent += count
      }
      return true
    }
  }
}

/// Nanoseconds of a clock that never goes back.
func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

func wait(until time: UInt64) {
  let time = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
  var place = time
  while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &place, nil) == EINTR {}
}
