import Testing

@testable import flowclient

@Suite("The counts of send")
struct SendTallyTests {
  @Test(
    "are printed if a value was missed, or found no subscriber",
    arguments: [
      (SendTally(sent: 3, to: 3, missed: 0), nil),
      (SendTally(sent: 3), nil),
      (SendTally(sent: 3, to: 3, missed: 2), "sent 3, missed 2"),
      (
        SendTally(sent: 3, to: 0, missed: 0, nobody: 3), "sent 3, missed 0; nobody was there"
      ),
      (
        SendTally(sent: 3, to: 1, missed: 1, nobody: 1),
        "sent 3, missed 1; nobody was there for 1 of them"
      ),
    ] as [(SendTally, String?)]
  )
  func text(_ counts: SendTally, _ text: String?) {
    #expect((counts.isMissed ? counts.text : nil) == text)
  }
}
