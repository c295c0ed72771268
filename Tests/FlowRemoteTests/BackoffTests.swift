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
}
