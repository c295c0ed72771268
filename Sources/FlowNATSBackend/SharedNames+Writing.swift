internal import FlowNATS
internal import FlowServer
internal import FlowSubjects
internal import FlowWire

// Definitions use compare-and-set, so that one of several simultaneous ones wins.
extension SharedNames {
  /// Defines `name` as `line`, unless it is defined or no longer `isWanted`.
  ///
  /// `done` gets the resulting definition, or an error if it is unknown; it is called later, or
  /// never if the link is lost.
  func define(
    _ name: String,
    _ line: String,
    while isWanted: @escaping () -> Bool,
    _ done: @escaping (Result<Entry, DefinitionError>) -> Void
  ) {
    guard isWanted() else { return }
    guard isRead else { return whenRead { $0.define(name, line, while: isWanted, done) } }
    let old = self[name]
    if let old, old.line != nil { return done(.success(old)) }
    put(name, line, after: old?.sequence ?? 0) { [weak self] answer in
      guard let self else { return }
      recordRoom(answer)
      switch answer {
      case .stored(let sequence):
        let entry = Entry(sequence: sequence, line: line)
        heard(name, entry)
        done(.success(self[name] ?? entry))
      case .preceded:
        whenHeard(name, after: old) { $0.define(name, line, while: isWanted, done) }
      case .noStorage(let error): done(.failure(Self.noRoom(for: name, error)))
      case .full, .repeated, .unknown:
        done(.failure(DefinitionError(.away, "\(shared.silence); \(name) may not be defined")))
      }
    }
  }

  /// Logs once that NATS has no room for definitions.
  private func recordRoom(_ answer: PublishAnswer) {
    guard case .noStorage(let error) = answer else { return isFull = false }
    if !isFull {
      let text = "NATS has no room to store definitions: \(error)"
      shared.engine.log(.warning, "nats-says", text)
    }
    isFull = true
  }

  private static func noRoom(for name: String, _ error: JetStreamError) -> DefinitionError {
    DefinitionError(
      .limit,
      "NATS has no room to store the definition of \(name) (\(error)); read or DELETE subjects that"
        + " fill it, or raise its max_file_store"
    )
  }

  /// Deletes the definition at `sequence`, or a newer one that `matches`.
  ///
  /// `done` gets whether it is known to be deleted.
  func delete(
    _ name: String,
    at sequence: UInt64,
    matching matches: @escaping (Entry) -> Bool,
    _ done: @escaping (Bool) -> Void
  ) {
    let old = self[name]
    put(name, JetStream.deleted, after: sequence) { [weak self] answer in
      guard let self else { return }
      switch answer {
      case .stored(let sequence):
        heard(name, Entry(sequence: sequence, line: nil))
        done(true)
      case .preceded:
        whenHeard(name, after: old?.sequence == sequence ? old : nil) { names in
          // Another server deleted it, and may have defined another one.
          guard let now = names[name], now.line != nil, matches(now) else { return done(true) }
          names.delete(name, at: now.sequence, matching: matches, done)
        }
      case .noStorage: remove(name, at: sequence, done)
      case .full, .repeated, .unknown: done(false)
      }
    }
  }

  /// Removes the definition itself, because NATS has no room for a deletion message.
  private func remove(_ name: String, at sequence: UInt64, _ done: @escaping (Bool) -> Void) {
    // NATS has lost the definition already.
    guard sequence > 0 else { return done(true) }
    link.request(names.deleteMessage(at: sequence, of: JetStream.names)) { [weak self] reply in
      guard let self else { return }
      guard JetStreamError(reply) == nil else {
        // Another server has removed or replaced it.
        readAgain()
        return done(false)
      }
      forget(name)
      reportChange()
      done(true)
    }
  }

  /// Replaces the definition at `sequence`; `done` gets whether it succeeded.
  func replace(
    _ name: String,
    at sequence: UInt64,
    _ text: String,
    _ done: @escaping (Bool) -> Void
  ) {
    put(name, text, after: sequence) { [weak self] answer in
      guard let self else { return }
      switch answer {
      case .stored(let sequence):
        heard(name, Entry(sequence: sequence, line: text))
        done(true)
      case .noStorage: replaceByConsumer(name, at: sequence, text, done)
      case .full, .preceded, .repeated, .unknown: done(false)
      }
    }
  }

  /// Stores the replacement as a consumer's metadata, which needs no room for messages.
  private func replaceByConsumer(
    _ name: String,
    at sequence: UInt64,
    _ text: String,
    _ done: @escaping (Bool) -> Void
  ) {
    let settings = ConsumerSettings(
      start: sequence,
      acknowledges: true,
      threshold: nil,
      server: text
    )
    let consumer = JetStream.replacement(at: sequence)
    let request = names.create(consumer: consumer, of: JetStream.names, settings)
    link.request(request) { [weak self] reply in
      guard let self else { return }
      guard JetStreamError(reply) == nil else { return done(false) }
      replace(name, at: sequence, by: text)
      reportChange()
      done(true)
    }
  }

  /// Makes other servers read the names again, because the stream has no message of it.
  private func reportChange() { link.publish { $0.publish(names.removals) } }

  private func put(
    _ name: String,
    _ text: String,
    after sequence: UInt64,
    _ done: @escaping (PublishAnswer) -> Void
  ) {
    guard link.isUp else { return shared.after(1) { done(.unknown(.noAnswer)) } }
    let reply = link.expect { done(PublishAnswer($0)) }
    let headers = PublishHeaders.after(sequence)
    link.publish {
      $0.publish(names.definition(name), reply: reply, headers: headers, Array(text.utf8))
    }
  }
}

extension SubjectSettings {
  /// Parses the definition of subject `name`, if it lives in NATS.
  init?(definition line: String, of name: String) {
    guard case .subject(name, let settings)? = (try? TaggedCommand(line))?.command,
      settings.nats != nil
    else { return nil }
    self = settings
  }
}
