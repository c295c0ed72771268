import FlowNATS

extension JetStreamModel {
  func createConsumer(_ name: String, _ config: FieldSearch, of stream: Stream) -> String {
    let consumer = stream.consumers[name] ?? newConsumer(name, config, of: stream)
    stream.consumers[name] = consumer
    let pending = stream.messages.count(where: consumer.wants)
    return #"{"name":"\#(name)","num_pending":\#(pending)}"#
  }

  private func newConsumer(_ name: String, _ config: FieldSearch, of stream: Stream) -> Consumer {
    let metadata = config["metadata"]
    let filter = config["filter_subject"]?.text
    let policy = config["ack_policy"]?.text
    // What it was made with stays as it was said, also if the stream ends before it.
    let new = Consumer(
      name,
      config["opt_start_seq"]?.number ?? 1,
      policy == "all",
      metadata?["flow-server"]?.text ?? "",
      filter: stream.isQueue ? filter : nil
    )
    let place = min(new.start, stream.last + 1)
    (new.next, new.floor) = (place, place - 1)
    new.isInitial = metadata?["flow-initial"]?.text != nil
    new.isInMemory = config["mem_storage"]?.isTrue ?? false
    new.threshold = config["inactive_threshold"]?.number.map { Int64($0) }
    new.active = now()
    return new
  }

  /// The rows of a list of the consumers of `stream`.
  package func rows(of stream: Stream) -> [String] {
    stream.sortedConsumers.map {
      let server = Self.escaped($0.server)
      let initial = $0.isInitial ? #","flow-initial":"1""# : ""
      return #"{"name":"\#($0.name)","config":{"opt_start_seq":\#($0.start),"#
        + #""metadata":{"flow-server":"\#(server)"\#(initial)}},"#
        + #""num_pending":\#(stream.last - min(stream.last, $0.floor)),"#
        + #""ack_floor":{"stream_seq":\#($0.floor)}}"#
    }
  }

  /// A list with these rows, and with `more` beside them.
  package static func list(_ rows: [String], and more: String = "") -> String {
    #"{"total":\#(rows.count),"consumers":[\#(rows.joined(separator: ","))]\#(more)}"#
  }

  // MARK: Messages

  /// Tells whether a message waits for a consumer, which takes none.
  func look(_ stream: Stream, _ name: String) -> String {
    guard let consumer = stream.consumers[name] else { return "503" }
    consumer.active = now()
    guard stream.messages.contains(where: { $0.sequence >= consumer.next }) else {
      return "404 No Messages"
    }
    return "409 Message Size Exceeds MaxBytes\r\nNats-Pending-Messages: 1"
  }

  func pull(_ pull: Pull, of stream: Stream, _ name: String) -> Reply {
    guard let consumer = stream.consumers[name] else { return .status("503") }
    consumer.active = now()
    consumer.asked += pull.count
    consumer.pulls.append(pull)
    deliver(stream, consumer)
    return .nothing
  }

  func deliver(_ stream: Stream, _ consumer: Consumer) {
    while let pull = consumer.pulls.first,
      let message = stream.messages.first(where: consumer.wants)
    {
      consumer.pulls[0].heard = now()
      if pull.count == 1 { consumer.pulls.removeFirst() } else { consumer.pulls[0].count -= 1 }
      consumer.next = message.sequence + 1
      consumer.delivered += 1
      consumer.given += 1
      if !consumer.acknowledges, !stream.isQueue { consumer.floor = message.sequence }
      let rest = stream.messages.count { $0.sequence > message.sequence }
      let ack =
        "$JS.ACK.\(stream.name).\(consumer.name).1.\(message.sequence)"
        + ".\(consumer.delivered).0.\(rest)"
      let headers = message.headers.isEmpty ? "" : "NATS/1.0\r\n\(message.headers)\r\n"
      send(
        NATSOutput(
          to: pull.reply,
          as: message.subject,
          reply: ack,
          headers: headers,
          payload: message.payload
        )
      )
    }
  }

  /// Ends all pulls of a consumer, as when their time is up.
  package func dropPulls(_ consumer: Consumer, _ text: String) {
    for pull in consumer.pulls { end(pull, of: consumer, text) }
    consumer.pulls = []
  }

  private func end(_ pull: Pull, of consumer: Consumer, _ text: String) {
    consumer.given += pull.count
    send(.status("\(text)\r\nNats-Pending-Messages: \(pull.count)", to: pull.reply))
  }

  /// Forgets the pulls that nobody hears the answers of.
  package func forgetPulls(where isUnheard: (_ reply: String) -> Bool) {
    for stream in streams.values {
      for consumer in stream.consumers.values {
        consumer.pulls.removeAll { isUnheard($0.reply) }
      }
    }
  }

  /// Hears where a message was acknowledged, which is a subject, and how.
  ///
  /// - Returns: whether that is a message of a queue.
  @discardableResult
  package func acknowledge(_ subject: String, _ text: String) -> Bool {
    let words = subject.split(separator: ".").map(String.init)
    guard words.count > 5, let stream = streams[words[2]] else { return false }
    let sequence = UInt64(words[5])
    if stream.isQueue {
      if text == "+ACK" { remove(from: stream) { $0.sequence == sequence } }
    } else if let consumer = stream.consumers[words[3]], let sequence {
      consumer.floor = max(consumer.floor, sequence)
    }
    return stream.isQueue
  }

  // MARK: Time

  /// Says what time alone brings: that a pull is over or still waits, and that a consumer is gone.
  package func timePasses() {
    let now = now()
    for stream in streams.values.sorted(by: { $0.name < $1.name }) {
      expire(stream)
      for consumer in stream.sortedConsumers {
        for pull in consumer.pulls where pull.end.map({ $0 <= now }) ?? false {
          end(pull, of: consumer, "408 Request Timeout")
        }
        consumer.pulls.removeAll { $0.end.map { $0 <= now } ?? false }
        for (index, pull) in consumer.pulls.enumerated() {
          consumer.active = now
          guard let silence = pull.silence, now - pull.heard >= silence else { continue }
          consumer.pulls[index].heard = now
          send(.status("100 Idle Heartbeat", to: pull.reply))
        }
        if let threshold = consumer.threshold, now - consumer.active >= threshold {
          stream.consumers[consumer.name] = nil
        }
      }
    }
  }
}
