import FlowCore
import FlowTestSupport
import Foundation
import Testing

@Suite("Record")
struct RecordTests {
  struct Failing: Error, Codable, Equatable {
    var word = "oops"
  }

  @Test("publishes what was recorded, to each subscriber, as it asks")
  func publishes() {
    let record = Record<Int, Oops> { recording in
      recording.receive(1)
      recording.receive(2)
      recording.receive(completion: .failure(Oops()))
    }
    #expect(record.line() == "[1, 2] 1 2 ✕oops")
    let log = record.record(.max(1))
    #expect(log.line == "[1, 2] 1")
    log.request(1)
    #expect(log.line == "[1, 2] 1 2 ✕oops")
  }

  @Test("without values, the end needs no demand, and is finished unless another came")
  func empty() {
    #expect(Record<Int, Oops> { _ in }.line(.none) == "Empty |")
    #expect(Record<Int, Oops>(output: [], completion: .failure(Oops())).line() == "Empty ✕oops")
  }

  @Test("demand returned and asked for from inside a value is met after it")
  func demand() {
    let record = Record<Int, Oops>(output: Array(1...5), completion: .finished)
    let returned = record.record(.max(1)) { _, value in value == 1 ? .max(2) : .none }
    #expect(returned.values == [1, 2, 3])
    let asked = record.record(.max(1)) { log, _ in
      log.request(1)
      return .none
    }
    #expect(asked.line == "[1, 2, 3, 4, 5] 1 2 3 4 5 |")
  }

  @Test("cancelled from inside a value, it sends nothing more")
  func cancel() {
    let record = Record<Int, Oops>(output: [1, 2], completion: .finished)
    let log = record.record { log, _ in
      log.cancel()
      return .none
    }
    #expect(log.values == [1])
    #expect("\(log.subscription as Any)".contains("Cancelled Events"))
  }

  @Test("is what it was after being encoded and decoded", arguments: [nil, Failing()])
  func coding(_ failure: Failing?) throws {
    let completion: Subscribers.Completion<Failing> = failure.map { .failure($0) } ?? .finished
    let record = Record<Int, Failing>(output: [1, 2], completion: completion)
    let data = try JSONEncoder().encode(record)
    let decoded = try JSONDecoder().decode(Record<Int, Failing>.self, from: data)
    #expect(decoded.recording.output == [1, 2])
    #expect(decoded.recording.completion == completion)
  }

  @Test("a recording that is complete receives nothing more")
  func complete() async {
    await #expect(processExitsWith: .failure) {
      var recording = Record<Int, Oops>.Recording(output: [1])
      recording.receive(2)
    }
    await #expect(processExitsWith: .failure) {
      var recording = Record<Int, Oops>.Recording()
      recording.receive(completion: .finished)
      recording.receive(completion: .finished)
    }
  }
}
