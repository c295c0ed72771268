import Glibc
import flowclient

@main
enum ClientEntry {
  static func main() async {
    exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}
