import FlowSimulation
import Foundation

@main
enum Main {
  static func main() { exit(Simulate.run(CommandLine.arguments)) }
}
