import FlowCore
import FlowTestSupport
import Testing

@Suite("Just, Empty, Fail, Optional and Result publishers")
struct ImmediatePublisherTests {
  @Test("Just sends its value at the first request, then finishes")
  func just() {
    let log = Just(1).record(.none)
    #expect(log.line == "Just")
    log.request(1)
    log.request(1)
    #expect(log.line == "Just 1 |")
  }

  @Test("Just sends nothing once cancelled, not even an end during its value")
  func justCancelled() {
    let before = Just(1).record(.none)
    before.cancel()
    before.request(1)
    #expect(before.line == "Just")
    let during = Just(1).record { log, _ in
      log.cancel()
      return .none
    }
    #expect(during.line == "Just 1")
  }

  @Test("Just can be subscribed to again and again")
  func justTwice() {
    let publisher = Just(1)
    #expect(publisher.line() == "Just 1 |")
    #expect(publisher.line() == "Just 1 |")
  }

  @Test("Empty finishes at once, without demand, or never")
  func empty() {
    #expect(Empty<Int, Never>().line(.none) == "Empty |")
    #expect(
      Empty(completeImmediately: false, outputType: Int.self, failureType: Never.self).line()
        == "Empty"
    )
    #expect(Empty<Int, Never>() != Empty<Int, Never>(completeImmediately: false))
  }

  @Test("Fail fails at once, without demand")
  func fail() {
    #expect(Fail<Int, Oops>(error: Oops()).line(.none) == "Empty ✕oops")
    #expect(Fail(outputType: Int.self, failure: Oops()) == Fail(error: Oops()))
  }

  @Test("an optional publishes what it wraps, if there is something")
  func optional() {
    #expect(Int?(1).publisher.line() == "Optional 1 |")
    #expect(Int?(1).publisher.line(.none) == "Optional")
    #expect(Int?.none.publisher.line(.none) == "Empty |")
  }

  @Test("a result publishes its value, or fails")
  func result() {
    #expect(Result<Int, Oops>.success(1).publisher.line() == "Once 1 |")
    #expect(Result<Int, Oops>.success(1).publisher.line(.none) == "Once")
    #expect(Result<Int, Oops>.failure(Oops()).publisher.line(.none) == "Empty ✕oops")
  }
}
