internal import FlowCore
internal import FlowLanguage
internal import FlowWire

// The end. It takes effect at once: the subject takes no more values, and its name is free when it was
// deleted. Many subscriptions are told in several turns, which others may use in between.

extension ServerSubject {
  /// Takes no more values, and completes when held values have gone out.
  package func completeBehindHeld(_ completion: Completion) {
    guard !takesNoMore else { return }
    guard state.heldCount > 0 else { return complete(completion) }
    state.ending = completion
    endPublishers(.completed, "subject \(name) has completed", leavesHeld: true)
  }

  /// Completes if the last publication with held values is over.
  func completeIfAllWent() {
    if let ending = state.ending, state.heldCount == 0 { complete(ending) }
  }

  /// Completes the subject; subscriptions read the kept values first.
  package func complete(_ completion: Completion) {
    guard state.outcome == nil else { return }
    state.outcome = completion
    host.completed(self)
    forEachOutletInTurns { [self] outlet in
      if let values = state.kept, outlet.cursor < values.end { return }
      end(outlet, completion)
    }
    state.tap?.end(completion, failureOrigins)
    endPublishers(.completed, "subject \(name) has completed")
  }

  /// Ends every stream on the subject and removes its name.
  package func delete() {
    let failure = PipelineFailure(.deleted, "subject \(name) was deleted")
    state.outcome = .failure(failure)
    forEachOutletInTurns { [self] outlet in
      fail(outlet, failure)
    } finally: { [self] in
      host.keptChanged(by: -(state.kept?.bytes ?? 0))
      state.kept.take()?.letGo()
    }
    state.tap?.end(.failure(failure), [])
    endPublishers(.deleted, "subject \(name) was deleted")
    host.releaseLater(self)
    host.deleted(self)
  }

  private func endPublishers(_ reason: ErrorCode, _ text: String, leavesHeld: Bool = false) {
    for feed in feeds { feed.subjectEnded(reason) }
    endWaiting(.refused(reason == .deleted ? .unknownName : reason, text))
    for publication in state.publications {
      if !leavesHeld { state.counts.missed += publication.held }
      publication.subjectEnded(reason, leavesHeld: leavesHeld)
    }
  }

  /// Answers the SENDs that wait, in order.
  private func endWaiting(_ result: WaitingSend.Result) {
    var sends = state.waiting.removeAll()[...]
    guard !sends.isEmpty else { return }
    timeSlice.inTurns {
      sends.popFirst()?.end(result)
      return !sends.isEmpty
    }
  }

  /// Calls `body` for each present subscription, in order, and then `finally`.
  ///
  /// Many of them take several turns; those that have left meanwhile are skipped.
  package func forEachOutletInTurns(
    _ body: @escaping (Outlet) -> Void,
    finally: @escaping () -> Void = {}
  ) {
    var outlets: [Outlet] = []
    outlets.reserveCapacity(outletCount)
    forEachOutlet { outlets.append($0) }
    guard !outlets.isEmpty else { return finally() }
    var rest = outlets[...]
    timeSlice.inTurns {
      if let outlet = rest.popFirst(), outlet.isAttached { body(outlet) }
      guard rest.isEmpty else { return true }
      finally()
      return false
    }
  }
}
