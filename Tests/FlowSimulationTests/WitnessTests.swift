import Testing

@testable import FlowSimulation

@Suite("The witness of a connection")
struct WitnessTests {
  /// What is wrong with a conversation: lines behind `>` are said, the others heard.
  private func complaints(_ conversation: [String]) -> [String] {
    let oracle = Oracle()
    let witness = Witness(ActorModel(name: "A"), oracle) { _, _ in }
    witness.hears(.line("HI flow/0.1.0 proto=1"))
    for line in conversation {
      if line.hasPrefix("> ") {
        witness.says(String(line.dropFirst(2)))
      } else {
        witness.hears(.line(line))
      }
    }
    witness.omissions()
    return oracle.complaints
  }

  @Test("finds nothing wrong with what is right")
  func right() {
    #expect(complaints(["> PING", "PONG"]) == [])
    #expect(
      complaints([
        "> SUB [1, 2].publisher.map { $0 * 3 } 1 as=4", "OK sub 4 - demand=1", "= 4 3", "> REQ 4 5",
        "OK req 4 demand=5", "= 4 6", "DONE 4",
      ]) == []
    )
    #expect(
      complaints([
        "> SUB s as=1", "OK sub 1 s demand=0", "> CANCEL 1",
        "OK cancel 1 values=0 missed=3 undelivered=0",
      ]) == []
    )
  }

  @Test(
    "objects to what breaks the protocol",
    arguments: [
      ["> PING", "OK ping"], ["PONG"], ["> PING"], ["> @a PING", "PONG"], ["> @a PING", "@b PONG"],
      ["> LIST", "* subject a", "OK list 2"], ["> SUB x", "ERR nonsense no"], ["BYE someday"],
      ["> HELLO 1", "OK hello 1", "> REQ 1 1", "OK req 1 demand=1"],
      ["> SUB Just(1) 1 as=1", "OK sub 1 - demand=1", "= 1 2"],
      ["> SUB Just(1) 1 as=1", "OK sub 1 - demand=1", "DONE 1"],
      ["> SUB Just(1) 1 as=1", "OK sub 1 - demand=1", "= 1 1", "DONE 1", "DONE 1"],
      ["> SUB Just(1) 1 as=1", "OK sub 1 - demand=1", "= 1 1", "FAIL 1 stage no"],
      ["> SUB Just(1) 1 as=1", "OK sub 1 - demand=1", "DROP 1 1 no-demand", "= 1 1", "DONE 1"],
      ["> SUB [1, 2].publisher 1 as=1", "OK sub 1 - demand=1", "= 1 1", "= 1 2"],
      ["> SUB [1, 2].publisher 2 as=1", "OK sub 1 - demand=2", "= 1 2"],
      [
        "> SUB s 9 as=1", "OK sub 1 s demand=9", "= 1 5", "> CANCEL 1",
        "OK cancel 1 values=2 missed=0 undelivered=0",
      ],
      [
        "> SUB s 9 as=1", "OK sub 1 s demand=9", "> CANCEL 1",
        "OK cancel 1 values=0 missed=0 undelivered=0", "= 1 7",
      ],
      ["> SEND s 1", "OK send s to=1 missed=0", "> SUB s 9 as=1", "OK sub 1 s demand=9", "= 1 2"],
      [
        "> SEND s 1", "OK send s to=1 missed=0", "> SUB s 9 as=1", "OK sub 1 s demand=9", "= 1 1",
        "= 1 1",
      ],
      ["> SERVE d 1 as=3", "OK serve 3 d demand=1", "= 3.1 5", "= 3.2 5"],
      ["> PUB s as=2 grant=4", "OK pub 2 s demand=4", "REQ 2 1"],
    ]
  )
  func wrong(_ conversation: [String]) {
    #expect(!complaints(conversation).isEmpty)
  }
}
