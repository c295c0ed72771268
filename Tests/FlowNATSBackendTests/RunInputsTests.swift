import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("The inputs of a run in NATS")
struct RunInputsTests {
  @Test("are settled in order, each when its values and dead letters are stored")
  func settled() {
    var inputs = RunInputs()
    let kinds: [RunInputs.Output?] = [.value, .letter, nil, .value, .letter]
    for (place, kind) in kinds.enumerated() {
      inputs.come(UInt64(place + 1))
      #expect(inputs.current == UInt64(place + 1))
      if let kind { inputs.add(kind) }
      inputs.wasHanded()
    }
    #expect(inputs.current == nil && inputs.unstored == 4)
    inputs.store(1, .letter)
    #expect(inputs.takeSettled() == nil)
    inputs.store(1, .value)
    #expect(inputs.takeSettled() == 3)
    inputs.store(1, .letter)
    #expect(inputs.takeSettled() == nil)
    inputs.store(1, .value)
    #expect(inputs.takeSettled() == 5 && inputs.unstored == 0)
  }
}
