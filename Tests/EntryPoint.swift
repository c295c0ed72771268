import Testing

/// Where the tests begin if SwiftPM need not look for any of XCTest; see `build` in `Scripts/test`.
@main
struct Main {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
