import FlowServerMain

@main
enum ServerEntry {
  static func main() {
    ServerProgram.run(CommandLine.arguments)
  }
}
