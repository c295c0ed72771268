extension JetStreamModel {
  /// What came of a message to a subject.
  package enum Publication {
    /// No stream takes it.
    case untaken
    /// It waits for the rest of its batch.
    case unfinished
    /// It can be stored, or the batch that it ends.
    case ready(Stream, [NewMessage])
  }

  /// Takes a message, or a part of a batch.
  package func take(_ message: NewMessage) -> Publication {
    let takers = streams.values.filter { $0.takes(message.subject) }
    guard let stream = takers.min(by: { $0.name < $1.name }) else { return .untaken }
    guard let id = message["Nats-Batch-Id"] else { return .ready(stream, [message]) }
    let all = (stream.batches.removeValue(forKey: id) ?? []) + [message]
    guard message["Nats-Batch-Commit"] != nil else {
      stream.batches[id] = all
      return .unfinished
    }
    return .ready(stream, all)
  }

  /// Stores what was published, if nothing speaks against it; returns the answer.
  package func store(_ new: [NewMessage], in stream: Stream) -> String {
    let ids = new.compactMap(\.id)
    if let before = ids.compactMap({ stream.ids[$0] }).first {
      let again = #"{"stream":"s","seq":\#(before),"duplicate": true}"#
      return new.count > 1 ? Self.error(10201) : again
    }
    expire(stream)
    guard let message = new.last else { return Self.error(10003) }
    let last = stream.messages.last { $0.subject == message.subject }?.sequence ?? 0
    if let expected = message["Nats-Expected-Last-Subject-Sequence"], last != UInt64(expected) {
      return Self.error(10071, "wrong last sequence: \(last)")
    }
    if stream.refuses, stream.messages.count + new.count > stream.most { return Self.error(10077) }
    if let room, !stream.isInMemory, new.count > room {
      add(Array(new.prefix(room)), to: stream)
      return refuse(new, in: stream, 10047)
    }
    add(new, to: stream)
    for id in ids { stream.ids[id] = stream.last }
    return #"{"stream":"s","seq":\#(stream.last)}"#
  }

  /// Answers that there is no disk or memory for what was published.
  ///
  /// Of a batch NATS remembers the ids although it was not stored.
  package func refuse(_ new: [NewMessage], in stream: Stream, _ code: Int) -> String {
    if new.count > 1 { remember(new, in: stream) }
    return Self.error(code)
  }

  /// Takes messages with the ids of these for repetitions from now on.
  package func remember(_ new: [NewMessage], in stream: Stream) {
    for id in new.compactMap(\.id) { stream.ids[id] = stream.last }
  }

  /// Stores messages, and gives them to consumers that have asked.
  package func add(_ new: [NewMessage], to stream: Stream) {
    for message in new {
      isStoring(message.subject)
      stream.last += 1
      if stream.keepsNewest { remove(from: stream) { $0.subject == message.subject } }
      stream.messages.append(
        Message(
          sequence: stream.last,
          subject: message.subject,
          headers: message.headers,
          payload: message.payload,
          time: now()
        )
      )
      if !stream.isInMemory { room = room.map { max(0, $0 - 1) } }
      if !stream.refuses, stream.messages.count > stream.most {
        let first = stream.first
        remove(from: stream) { $0.sequence == first }
      }
    }
    for consumer in stream.sortedConsumers { deliver(stream, consumer) }
  }
}
