import Testing

@testable import flowclient

@Suite("completion scripts")
struct CompletionTests {
  @Test("zsh takes the script as a file of its own, and each option with what it means")
  func zsh() {
    #expect(Completion.zsh.script.hasPrefix("#compdef flowclient\n"))
    #expect(Completion.zsh.script.contains("'--end:complete the subject behind the last value, "))
  }

  @Test("fish has a line for each command, and asks for names")
  func fish() {
    let script = Completion.fish.script
    for verb in VerbTable.all { #expect(script.contains(" -a \(verb.name) -d ")) }
    #expect(script.contains("'__flowclient_is send 0' -a '(__flowclient_names subject)'"))
  }
}
