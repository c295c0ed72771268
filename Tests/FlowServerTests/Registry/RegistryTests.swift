import FlowFiles
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
    let registry = Registry(limits: NameLimits())
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

  @Test("admits so many of a kind, and more once one of these is removed")
  func isFull() throws {
    let registry = Registry(limits: NameLimits(names: 2))
    func admitted(_ name: String) throws -> Bool {
      guard case .pipeline(let pipeline) = try pipeline() else { return false }
      do throws(NameRefusal) {
        return try registry.admits(name, as: .pipeline(pipeline))
      } catch {
        #expect(error.text(for: name) == "the limit of 2 pipelines is reached")
        return false
      }
    }
    #expect(try admitted("a"))
    registry.add(try pipeline(), named: "a")
    registry.add(try pipeline(), named: "b")
    #expect(try !admitted("c"))
    _ = registry.remove("a")
    #expect(try admitted("c"))
    registry.add(try pipeline(), named: "a")
    #expect(try !admitted("c"))
  }
}
