import Testing

/// Runs the tests. SwiftPM takes this file in place of searching the compiler's index for tests, which then need not be written.
@main
struct TestMain {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
