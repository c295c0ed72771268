internal import FlowLanguage
package import FlowWire

/// What passes somewhere, for those who only look on: they are not counted where they look, have
/// demand of their own, and nobody waits for them.
///
/// It is a subject with `flow=free` that nothing names, to which whoever is looked at passes on its
/// values. Who has it lets go of it when nobody looks on any more.
package final class Tap {
  /// Where those who look on have their subscriptions.
  package let subject: ServerSubject

  /// Makes one of what is called `name`; `whenUnused` is called when the last one has left.
  package init(_ name: String, in host: any SubjectHost, whenUnused: @escaping (Tap) -> Void) {
    subject = ServerSubject(name: name, settings: SubjectSettings(), host: host)
    subject.isTap = true
    subject.whenReadersChange = { [weak self] in
      guard let self, subject.outletCount == 0 else { return }
      // It may be in the middle of a value.
      host.releaseLater(self)
      whenUnused(self)
    }
  }

  /// Passes on one value.
  package func pass(_ bytes: UnsafeRawBufferPointer) { unsafe subject.publish(bytes) }

  /// Passes on values of a batch.
  package func pass(_ batch: ValueBatch, _ places: Range<Int>) {
    if !places.isEmpty { _ = subject.publish(batch, places) }
  }

  /// Ends those who look on, and all who come later; a failure's text may show values of `origins`.
  package func end(_ completion: ServerSubject.Completion, _ origins: [String]) {
    subject.failureOrigins = origins
    subject.endTapped(completion)
  }
}

extension ServerSubject {
  /// What it publishes from now on.
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

  /// Ends the subject of a tap, of which its host knows nothing.
  fileprivate func endTapped(_ completion: Completion) {
    guard state.outcome == nil else { return }
    state.outcome = completion
    forEachOutlet { end($0, completion) }
  }
}
