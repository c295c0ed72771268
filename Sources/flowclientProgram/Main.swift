import Glibc
import flowclient

@main
enum Main {
  static func main() async {
    exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}
