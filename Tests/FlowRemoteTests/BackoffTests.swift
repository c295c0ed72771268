import FlowTransport
import Testing

@testable import FlowRemote

@Suite("Backoff")
struct BackoffTests {
  @Test(
    "doubles up to the longest, and is shortened by up to a half",
    arguments: [
      (0, 0, 200), (0, 1, 100), (1, 0, 400), (4, 0, 3200), (5, 0, 5000), (5, 0.5, 3750),
      (1000, 0, 5000),
    ]
  )
  func delays(_ number: Int, _ chance: Double, _ milliseconds: Int) {
    let delay = Backoff().delay(beforeAttempt: number, chance: chance)
    #expect(delay == .milliseconds(milliseconds))
  }

  @Test("starts again only after a connection that has lasted")
  func anew() {
    var attempts = Attempts()
    func fails(at second: UInt64, after milliseconds: Double) {
      let now = second * 1_000_000_000
      let delay = attempts.fail(at: now, Backoff(), on: SystemPlatform.shared)
      #expect(delay <= .milliseconds(milliseconds) && delay >= .milliseconds(milliseconds / 2))
    }
    attempts.succeed(at: 0)
    fails(at: 100, after: 200)
    fails(at: 101, after: 400)
    attempts.succeed(at: 102_000_000_000)
    fails(at: 106, after: 800)
    fails(at: 200, after: 1600)
    attempts.succeed(at: 201_000_000_000)
    fails(at: 206, after: 200)
  }
}
