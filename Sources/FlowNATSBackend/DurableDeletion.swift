internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Deletes a durable subscription; takes its lease first, so that nobody reads it meanwhile.
final class DurableDeletion {
  private let name: String
  private let shared: SharedSubject
  private lazy var lease = Lease(
    DurableReader.lease(of: name, at: shared.name),
    in: shared.shared,
    isElsewhere: { [weak self] in self.map { $0.end(DurableReader.inUse($0.name, $0.shared)) } },
    { [weak self] isHeld in if isHeld { self?.deleteConsumers() } }
  )
  private var wasThere = false
  private var done: ((DefinitionError?) -> Void)?

  init(_ name: String, of shared: SharedSubject) {
    self.name = name
    self.shared = shared
  }

  /// How long it may take, in nanoseconds; the lease of a dead server must expire first.
  static let patience: Int64 = 15_000_000_000

  /// Calls `done` when it is deleted, or with an error.
  func start(_ done: @escaping (DefinitionError?) -> Void) {
    self.done = done
    lease.start()
  }

  func stop() {
    done = nil
    lease.stop()
  }

  private func end(_ error: DefinitionError?) {
    let done = done
    stop()
    done?(error)
  }

  private func deleteConsumers() {
    shared.deleteConsumers(like: DurableReader.consumers(of: name)) { [weak self] own, all in
      guard let self, done != nil, lease.isHeld else { return false }
      if own.isEmpty { end(among: all) } else { wasThere = true }
      return !own.isEmpty
    }
  }

  /// NATS lists none of its consumers.
  private func end(among rows: [ConsumerPage.Row]) {
    if wasThere { return end(nil) }
    let others = Set(rows.compactMap { BackendReader($0).durable }).sorted()
    let there = others.isEmpty ? "none" : others.prefix(20).joined(separator: ", ")
    let text = "\(shared.name) has no durable subscription \(name); it has \(there)"
    end(DefinitionError(.unknownName, text))
  }
}
