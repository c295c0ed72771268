import FlowNATS
import FlowNATSSupport
import Testing

/// The model of JetStream that other tests go by answers what Flow asks.
@Suite("The model of JetStream")
struct JetStreamModelTests {
  /// The time, and what the model has said.
  private final class Surroundings {
    var now: Int64 = 0
    var sent: [String] = []

    func take() -> [String] {
      defer { sent = [] }
      return sent
    }
  }

  private let around: Surroundings
  private let model: JetStreamModel
  private let names = JetStream()

  /// Makes a model with the stream of a subject `a`.
  init() {
    let around = Surroundings()
    self.around = around
    model = JetStreamModel(
      now: { around.now },
      send: { message in
        let text = String(decoding: message.payload, as: UTF8.self)
        let head = message.headers.split(separator: "\r\n").first ?? ""
        around.sent.append("\(message.target) \(head)\(text)")
      }
    )
    let settings = StreamSettings(
      replicas: 1,
      storage: .file,
      mostMessages: 100,
      refusesWhenFull: true
    )
    _ = ask(names.create("a", settings))
  }

  private func ask(_ request: JetStreamRequest) -> String {
    let subject = String(request.subject.dropFirst("$JS.API.".count))
    guard let parsed = JetStreamModel.Request(subject) else { return "unknown" }
    switch model.answer(parsed, request.payload, to: "inbox") {
    case .json(let json): return json
    case .status(let status): return status
    case .nothing: return ""
    }
  }

  private func publish(_ text: String, _ headers: String = "") -> String {
    let message = JetStreamModel.NewMessage(names.values("a"), headers, Array(text.utf8))
    switch model.take(message) {
    case .untaken: return "untaken"
    case .unfinished: return ""
    case .ready(let stream, let new): return model.store(new, in: stream)
    }
  }

  private func publish(_ text: String, batch: String, _ place: Int, isLast: Bool) -> String {
    publish(
      text,
      PublishHeaders.batch(batch, place: place, isLast: isLast)
        + (place == 1 ? PublishHeaders.first(id: batch) : "")
    )
  }

  private var stored: [String] { model.streams["flow_a"]?.messages.map(\.text) ?? [] }

  private func makeConsumer(_ name: String, acknowledges: Bool, threshold: Int64? = nil) {
    let settings = ConsumerSettings(
      start: 1,
      acknowledges: acknowledges,
      threshold: threshold,
      server: "here"
    )
    _ = ask(names.create(consumer: name, of: "a", settings))
  }

  @Test("stores a repetition once, and batches whole though they come at the same time")
  func batches() {
    #expect(publish("1", PublishHeaders.first(id: "x.1")).contains(#""seq":1"#))
    #expect(publish("1", PublishHeaders.first(id: "x.1")).contains(#""duplicate": true"#))
    #expect(publish("2", batch: "x.2", 1, isLast: false) == "")
    #expect(publish("4", batch: "y.1", 1, isLast: false) == "")
    #expect(publish("3", batch: "x.2", 2, isLast: true).contains(#""seq":3"#))
    #expect(publish("5", batch: "y.1", 2, isLast: true).contains(#""seq":5"#))
    #expect(stored == ["1", "2", "3", "4", "5"])
    #expect(publish("3", batch: "x.2", 1, isLast: true).contains("duplicate"))
  }

  @Test("without room stores the first of a batch, and more when messages are purged")
  func full() {
    model.room = 1
    #expect(publish("1", batch: "x.1", 1, isLast: false) == "")
    #expect(publish("2", batch: "x.1", 2, isLast: true).contains("10047"))
    #expect(stored == ["1"])
    #expect(publish("3").contains("10047"))
    _ = ask(names.purge("a", before: 2))
    #expect(publish("3").contains(#""seq":2"#))
    #expect(publish("4").contains("10047"))
  }

  @Test("has what is on disk when it starts again, and no lease")
  func restart() {
    _ = ask(names.createLeases(replicas: 1))
    let lease = JetStreamModel.NewMessage(names.lease("l"), "", [])
    guard case .ready(let leases, let new) = model.take(lease) else {
      Issue.record("no stream takes leases")
      return
    }
    _ = model.store(new, in: leases)
    makeConsumer("d-x-1-1", acknowledges: true)
    makeConsumer("s-1-2", acknowledges: false)
    for value in 1...4 { _ = publish("\(value)", PublishHeaders.first(id: "x.\(value)")) }
    model.acknowledge("$JS.ACK.flow_a.d-x-1-1.1.3.1.0.0", "+ACK")
    model.streams["flow_a"]?.loseEnd(behind: 2)
    model.restart()
    #expect(ask(names.findLease("l")).contains("10037"))
    #expect(stored == ["1", "2"])
    let list = ask(names.listConsumers(of: "a", from: 0))
    #expect(list.contains(#""total":1"#) && list.contains(#""ack_floor":{"stream_seq":2}"#))
    #expect(publish("2", PublishHeaders.first(id: "x.2")).contains("duplicate"))
    #expect(publish("3", PublishHeaders.first(id: "x.3")).contains(#""seq":3}"#))
  }

  @Test("says that a pull waits, ends it, and forgets a consumer that nobody asks")
  func time() {
    makeConsumer("s-1-1", acknowledges: true, threshold: 30_000_000_000)
    #expect(ask(names.pull(2, by: "s-1-1", of: "a")) == "")
    _ = publish("1")
    #expect(around.take() == ["inbox 1"])
    for second in 1...29 {
      around.now = Int64(second) * 1_000_000_000
      model.timePasses()
    }
    #expect(around.take() == Array(repeating: "inbox NATS/1.0 100 Idle Heartbeat", count: 5))
    around.now = 30_000_000_000
    model.timePasses()
    #expect(around.take() == ["inbox NATS/1.0 408 Request Timeout"])
    around.now = 58_000_000_000
    model.timePasses()
    #expect(model.streams["flow_a"]?.consumers.count == 1)
    around.now = 60_000_000_000
    model.timePasses()
    #expect(model.streams["flow_a"]?.consumers.isEmpty == true)
    #expect(ask(names.pull(2, by: "s-1-1", of: "a")) == "503")
  }
}
