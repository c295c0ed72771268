import Dispatch
import FlowServerMain
import Glibc
import flowclient

/// Both programs in one, as they are released: it is the server if its name has `server` in it, and
/// `flowclient` by any other.
///
/// They have the language, the engine and the Swift runtime in common, which would be on a machine
/// twice.
@main
enum BothPrograms {
  static func main() {
    let words = CommandLine.arguments
    let name = words.first?.split(separator: "/").last ?? ""
    if name.lowercased().contains("server") { ServerProgram.run(words) }
    Task { exit(await Program.run(Array(words.dropFirst())).rawValue) }
    dispatchMain()
  }
}
