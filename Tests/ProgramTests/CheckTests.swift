import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("flowclient check")
struct CheckTests {
  @Test("warns of a subscription that has held up a subject lately, and names it")
  func heldUp() throws {
    let server = try ScriptedServer()
    let check = try RunningProgram("flowclient", ["-s", server.address, "check", "orders"])
    let client = try server.greet()
    #expect(try client.line() == "PING")
    try client.say("PONG")
    #expect(try client.line() == "SHOW orders")
    try client.say(
      "* definition SUBJECT orders passthrough flow=slowest",
      "* subscriptions=2 publications=0 published=9 delivered=18 missed=0 waiting=0",
      "* subscription client=3 id=1 demand=max",
      "* subscription client=7 id=1 demand=0 held-up=52000ms",
      "OK show orders"
    )
    let result = check.waitForEnd()
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("WARNING \(server.address): answers in "))
    #expect(
      result.output.hasSuffix(
        "; orders exists held up by client=7 id=1 demand=0 held-up=52000ms\n"
      )
    )
  }
}
