@main
enum Main {
  static func main() async {
    await Program.run(Array(CommandLine.arguments.dropFirst()))
  }
}
