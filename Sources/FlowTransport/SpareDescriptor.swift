import CLinux
import Glibc

/// A descriptor reserved for when the process has no others.
struct SpareDescriptor {
  private var descriptor: Int32

  init() {
    descriptor = Self.open()
  }

  var isOpen: Bool { descriptor >= 0 }

  /// Reopens the spare descriptor if it is not open and one is free.
  mutating func renew() { if !isOpen { descriptor = Self.open() } }

  /// Accepts a connection with the spare, sends `farewell` and closes it; returns whether there was
  /// one.
  mutating func turnAway(from listener: Int32, saying farewell: [UInt8]) -> Bool {
    close()
    let accepted = flow_accept(listener, nil, nil)
    if accepted >= 0 { Self.drop(accepted, farewell) }
    descriptor = Self.open()
    return accepted >= 0
  }

  private static func drop(_ accepted: Int32, _ farewell: [UInt8]) {
    _ = unsafe farewell.withUnsafeBytes {
      unsafe send(accepted, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    Socket.shutDownOutput(accepted)
    // Reads all input, because closing over unread input would destroy the farewell.
    unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { unread in
      while unsafe recv(accepted, unread.baseAddress, unread.count, 0) > 0 {}
    }
    Glibc.close(accepted)
  }

  mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  private static func open() -> Int32 {
    unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
  }
}
