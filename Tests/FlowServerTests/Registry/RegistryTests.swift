import FlowLanguage
import Testing

@testable import FlowServer

@Suite("Registry")
struct RegistryTests {
  private func pipeline() throws -> Registry.Entry {
    .pipeline(try Pipeline("Just(1)", lookup: { _ in nil }, names: { [] }))
  }

  @Test("keeps the order of definition, whatever is removed and defined again")
  func keepsOrder() throws {
    let registry = Registry(limit: 1000)
    var expected: [String] = []
    for number in 0..<200 {
      registry.add(try pipeline(), named: "p\(number)")
      expected.append("p\(number)")
    }
    for number in 0..<200 where number % 7 != 0 {
      #expect(registry.remove("p\(number)") != nil)
      #expect(registry.remove("p\(number)") == nil)
      expected.removeAll { $0 == "p\(number)" }
      #expect(registry.names == expected)
      if number % 3 == 0 {
        registry.add(try pipeline(), named: "p\(number)")
        expected.append("p\(number)")
      }
    }
    #expect(registry.names == expected)
    #expect(expected.allSatisfy { registry[$0] != nil })
  }

  @Test("is full with so many of a kind, until one of these is removed")
  func isFull() throws {
    let registry = Registry(limit: 2)
    #expect(!registry.isFull(for: try pipeline()))
    registry.add(try pipeline(), named: "a")
    registry.add(try pipeline(), named: "b")
    #expect(registry.isFull(for: try pipeline()))
    _ = registry.remove("a")
    #expect(!registry.isFull(for: try pipeline()))
    registry.add(try pipeline(), named: "a")
    #expect(registry.isFull(for: try pipeline()))
  }
}
