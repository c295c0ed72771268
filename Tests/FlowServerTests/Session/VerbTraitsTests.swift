import FlowWire
import Testing

@testable import FlowServer

@Suite("VerbTraits")
struct VerbTraitsTests {
  @Test(
    "tells signals and light commands from the others",
    arguments: [
      ("REQ 1 5", true, true), ("DONE 1", true, true), ("FAIL 1 code", true, true),
      ("CANCEL 1", false, true), ("PING", false, true), ("DONE orders", false, false),
      ("FAIL orders code", false, false), ("SUB orders", false, false),
    ]
  )
  func traits(_ line: String, isSignal: Bool, isLight: Bool) throws {
    let command = try TaggedCommand(line).command
    #expect(command.isSignal == isSignal)
    #expect(command.isLight == isLight)
  }
}
