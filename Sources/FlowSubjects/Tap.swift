internal import FlowLanguage
package import FlowWire

/// Copies the values that pass some place, for clients that watch without affecting demand.
///
/// It is a nameless subject with `flow=free`. The owner releases it when the last client leaves.
package final class Tap {
  package let subject: ServerSubject

  /// Makes a tap for `name`; calls `whenUnused` when the last client has left.
  package init(_ name: String, in host: any SubjectHost, whenUnused: @escaping (Tap) -> Void) {
    subject = ServerSubject(name: name, settings: SubjectSettings(), host: host)
    subject.isTap = true
    subject.whenReadersChange = { [weak self] in
      guard let self, subject.outletCount == 0 else { return }
      // A value may be passing just now.
      host.releaseLater(self)
      whenUnused(self)
    }
  }

  package func pass(_ bytes: UnsafeRawBufferPointer) { unsafe subject.publish(bytes) }

  package func pass(_ batch: ValueBatch, _ places: Range<Int>) {
    if !places.isEmpty { _ = subject.publish(batch, places) }
  }

  /// Ends the tap and all later subscriptions; the failure's text may show values of `origins`.
  package func end(_ completion: ServerSubject.Completion, _ origins: [String]) {
    subject.failureOrigins = origins
    subject.endTapped(completion)
  }
}

extension ServerSubject {
  /// Returns the tap of this subject, made if needed.
  package func tapped() -> Tap {
    if let tap = state.tap { return tap }
    let new = Tap(name, in: host) { [self] in untap($0) }
    if let completion {
      new.end(completion, failureOrigins)
    } else {
      state.tap = new
      state.isPlain = false
    }
    return new
  }

  private func untap(_ tap: Tap) {
    guard state.tap === tap else { return }
    state.tap = nil
    state.isPlain = state.kept == nil
  }

  /// Completes without telling the host, which does not know a tap's subject.
  fileprivate func endTapped(_ completion: Completion) {
    guard state.outcome == nil else { return }
    state.outcome = completion
    forEachOutletInTurns { [self] in end($0, completion) }
  }
}
