internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Deletes a durable subscription, which nobody may have meanwhile: it takes the lease for that.
final class DurableDeletion {
  private let name: String
  private let shared: SharedSubject
  private lazy var lease = Lease(
    DurableReader.lease(of: name, at: shared.name),
    in: shared.shared,
    isElsewhere: { [weak self] in self.map { $0.end(DurableReader.inUse($0.name, $0.shared)) } },
    { [weak self] isHeld in if isHeld { self?.look() } }
  )
  private var wasThere = false
  private var done: ((DefinitionError?) -> Void)?

  init(_ name: String, of shared: SharedSubject) {
    self.name = name
    self.shared = shared
  }

  /// How long it may take, in nanoseconds: until it is known that a server which had it has died.
  static let patience: Int64 = 15_000_000_000

  /// `done` is told when it is gone, or why it is not.
  func start(_ done: @escaping (DefinitionError?) -> Void) {
    self.done = done
    lease.start()
  }

  /// Nobody waits for it any more.
  func stop() {
    done = nil
    lease.stop()
  }

  private func end(_ error: DefinitionError?) {
    let done = done
    stop()
    done?(error)
  }

  private func look() {
    shared.room.look { [weak self] rows in
      guard let self, done != nil else { return }
      if let rows { found(rows) }
      // Nothing more is to be done once it has ended.
      shared.shared.after(Self.pause) { [weak self] in
        if let self, done != nil, lease.isHeld { look() }
      }
    }
  }

  private static let pause: Int64 = 250_000_000

  private func found(_ rows: [ConsumerPage.Row]) {
    let own = rows.filter { $0.isOne(of: DurableReader.consumers(of: name)) }
    guard own.isEmpty else {
      wasThere = true
      for row in own { shared.delete(consumer: row.name) }
      return
    }
    if wasThere { return end(nil) }
    let others = Set(rows.compactMap { BackendReader($0).durable }).sorted()
    let there = others.isEmpty ? "none" : others.prefix(20).joined(separator: ", ")
    let text = "\(shared.name) has no durable subscription \(name); it has \(there)"
    end(DefinitionError(.unknownName, text))
  }
}
