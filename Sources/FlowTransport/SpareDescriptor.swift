import CLinux
import Glibc

/// A descriptor kept for the day when there are no others.
struct SpareDescriptor {
  private var descriptor: Int32

  init() {
    descriptor = Self.open()
  }

  var isOpen: Bool { descriptor >= 0 }

  /// Accepts one connection with the spare and drops it; returns whether there was one.
  mutating func turnAway(from listener: Int32) -> Bool {
    close()
    let accepted = flow_accept(listener, nil, nil)
    if accepted >= 0 { Glibc.close(accepted) }
    descriptor = Self.open()
    return accepted >= 0
  }

  mutating func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  private static func open() -> Int32 {
    Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
  }
}
