import FlowCore
import FlowLanguage
import Testing

@Suite("ask")
struct CallTests {
  /// Answers with ten times the argument after so many seconds.
  private func tenfold(_ host: TestHost, after seconds: Double) -> (Value) -> AnyPublisher<
    Value, PipelineFailure
  > {
    { argument in
      Just(value("\(Int(argument.text).map { $0 * 10 } ?? 0)"))
        .setFailureType(to: PipelineFailure.self)
        .delay(for: .seconds(seconds), scheduler: host.clock)
        .eraseToAnyPublisher()
    }
  }

  @Test("no more calls are out than maxPublishers allows")
  func bounded() throws {
    let host = TestHost()
    host.services["work"] = tenfold(host, after: 1)
    let recorder = try host.run(
      "(1...7).publisher.flatMap(maxPublishers: .max(3)) { ask(work, $0) }"
    )
    #expect(host.calls == ["work 1", "work 2", "work 3"])
    host.wait(until: 1)
    #expect(host.calls.count == 6)
    host.wait(until: 10)
    #expect(recorder.joined == "10 20 30 40 50 60 70")
    #expect(recorder.times == [1, 1, 1, 2, 2, 2, 3])
    #expect(recorder.completions == [.finished])
  }

  @Test("scenario 15: asks only where it is needed")
  func branch() throws {
    let host = TestHost(subjects: "lookups")
    host.services["create"] = tenfold(host, after: 0)
    let recorder = try host.run(
      "lookups.flatMap { found in if found.exists { Just(found.zone) } else { ask(create, found.id) } }"
    )
    host.send("{\"exists\":true,\"zone\":7}", to: "lookups")
    host.send("{\"exists\":false,\"id\":5}", to: "lookups")
    host.wait(until: 1)
    #expect(recorder.joined == "7 50")
    #expect(host.calls == ["create 5"])
  }

  @Test("retry makes another call of the same argument, catch and replaceError a value")
  func failing() throws {
    let host = TestHost()
    var failures = 0
    host.services["work"] = { argument in
      failures += 1
      guard failures > 2 else {
        return Fail(error: PipelineFailure(code: "worker-lost", message: "gone"))
          .eraseToAnyPublisher()
      }
      return Just(argument).setFailureType(to: PipelineFailure.self).eraseToAnyPublisher()
    }
    #expect(try host.run("ask(work, [1, 2]).retry(3)").joined == "[1,2]")
    #expect(host.calls == ["work [1,2]", "work [1,2]", "work [1,2]"])
    failures = 0
    #expect(try host.run("ask(work, 1).replaceError(with: null)").joined == "null")
    failures = 0
    #expect(try host.run("ask(work, 1).catch { Just($0.code) }").joined == "\"worker-lost\"")
    failures = 1
    #expect(try host.run("ask(work, 1).catch { ask(work, $0.message) }").failure?.code == nil)
    failures = 1
    #expect(try host.run("Fail(\"x\").catch { ask(work, $0.message).retry(1) }").joined == "\"x\"")
  }

  @Test("a service needs no definition, and may have dashes in its name")
  func names() throws {
    let host = TestHost(subjects: "taps")
    _ = try host.run("taps.flatMap { ask(re-size_2, $0) }")
    _ = try host.run("ask(taps, 1)")
    host.send("1", to: "taps")
    #expect(host.calls == ["taps 1", "re-size_2 1"])
  }

  @Test("an argument that cannot be computed fails the call, which is not made")
  func argument() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.flatMap { ask(work, 1 / $0).replaceError(with: null) }")
    host.send("0", to: "taps")
    #expect(recorder.joined == "null")
    #expect(host.calls.isEmpty)
  }

  @Test("cancelling the pipeline cancels the calls that are out")
  func cancelling() throws {
    let host = TestHost()
    var cancelled = 0
    host.services["work"] = { _ in
      Empty(completeImmediately: false).handleEvents(receiveCancel: { cancelled += 1 })
        .eraseToAnyPublisher()
    }
    let recorder = try host.run("[1, 2, 3].publisher.flatMap(maxPublishers: 2) { ask(work, $0) }")
    recorder.cancel()
    #expect(cancelled == 2)
  }
}
