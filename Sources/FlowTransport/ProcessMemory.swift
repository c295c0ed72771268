#if os(Linux)
internal import CLinux
#endif
import Glibc

/// The memory of this process.
public struct ProcessMemory: Sendable {
  private let status: Int32
  private let page: Int

  /// Opens the kernel's figures of this process.
  public init() {
    status = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    page = sysconf(Int32(_SC_PAGESIZE))
  }

  /// The bytes in real memory; 0 if the kernel does not say.
  public var resident: Int {
    var text: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
      (0, 0, 0, 0, 0, 0, 0, 0)
    return unsafe withUnsafeMutableBytes(of: &text) { buffer in
      let count = unsafe pread(status, buffer.baseAddress, buffer.count, 0)
      // The second field: pages in real memory.
      var (pages, field, place) = (0, 0, 0)
      while place < count, field < 2 {
        let unit = unsafe buffer[place]
        if unit == UInt8(ascii: " ") {
          field += 1
        } else if field == 1 {
          pages = pages * 10 + Int(unit & 15)
        }
        place += 1
      }
      return pages * page
    }
  }

  /// Returns free memory to the system.
  public func trim() {
    #if os(Linux)
    flow_trim()
    #endif
  }

  /// Makes the allocator join freed memory at once: returning memory and finding large blocks is
  /// then quick, and each allocation slower.
  public func joinFree(_ joins: Bool) {
    #if os(Linux)
    flow_join_free(joins ? 1 : 0)
    #endif
  }

  /// Lets the process keep little that is free; to be called before threads are made.
  public static func keepHeapSmall() {
    #if os(Linux)
    flow_keep_heap_small()
    #endif
  }

  /// The memory of the machine.
  public static var ofMachine: Int {
    max(sysconf(Int32(_SC_PHYS_PAGES)), 1) * max(sysconf(Int32(_SC_PAGESIZE)), 1)
  }
}
