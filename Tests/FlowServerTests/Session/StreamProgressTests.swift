import Testing

@testable import FlowServer

@Suite("The progress of a stream")
struct StreamProgressTests {
  @Test("is half met when no more is outstanding than half of the values that there is room for")
  func half() {
    for window in [0, 1, 100, 4096, 262_144, Int(UInt32.max)] {
      for size in [0, 1, 20, 1024, 1 << 20] {
        for unsent in [0, 1, 99, 4000, 262_143, 262_144, 4 << 20] {
          var progress = StreamProgress(window: window, take: nil)
          _ = progress.sent(1, upTo: size)
          let room = progress.room(beside: unsent, limit: 4 << 20)
          for requested in [0, 1, 2, room / 2 - 1, room / 2, room / 2 + 1, room, 16_384, 1 << 30]
          where requested >= 0 {
            progress.requested = requested
            #expect(
              progress.isHalfMet(beside: unsent, limit: 4 << 20) == (requested * 2 <= room),
              "\(window) \(size) \(unsent) \(requested)"
            )
          }
        }
      }
    }
  }
}
