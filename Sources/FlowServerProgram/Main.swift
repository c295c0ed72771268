import FlowServerMain

@main
enum Main {
  static func main() {
    ServerProgram.run(CommandLine.arguments)
  }
}
