internal import FlowSubjects
internal import FlowWire

extension Engine {
  /// The verdict on a subject: whom it waits for, or whether anybody sends or reads.
  func verdict(on subject: ServerSubject, _ slow: SlowReaders) -> Verdict {
    if let (text, hint) = subject.backend?.trouble {
      return Verdict(code: .elsewhere, text: text, hint: hint)
    }
    let waiting = subject.waitingInAll
    if let reader = slow.reader(of: subject) {
      let isTold = reader.name == subject.name || reader.label == "run \(reader.name)"
      let place = isTold ? "" : " in \(reader.name)"
      let stored = subject.backend?.figures.stored ?? 0
      let what =
        waiting > 0
        ? "\(waiting) \(waiting == 1 ? "value waits" : "values wait")"
        : stored > 0
          ? "\(stored) \(stored == 1 ? "value waits" : "values wait") \(subject.backend?.place ?? "")"
          : "whoever sends to \(subject.name) waits for it"
      return Verdict(
        code: .elsewhere,
        text: "Held up by \(reader.label)\(place): \(what).",
        hint: "With flow=slowest the slowest subscription sets the pace for all."
      ).blaming(reader)
    }
    let readers = subject.readable.reduce(0) { $0 + $1.outletCount }
    if readers == 0 {
      if let fault = slow.fault(reading: subject.name) {
        let text = "Nobody reads \(subject.name)"
        return Verdict(code: .asleep, text: "").blaming(fault, text)
      }
      if subject.backend != nil {
        return Verdict(
          code: .asleep,
          text: "Nobody reads \(subject.name) on this server.",
          hint: "SHOW \(subject.name) names those who hold it up on others."
        )
      }
      return Verdict(
        code: .asleep,
        text: subject.isLossless
          ? "Nobody reads \(subject.name): what is sent to it waits."
          : "Nobody reads \(subject.name): what is sent to it is gone.",
        hint: "flowclient sub \(subject.name) reads it."
      )
    }
    let seen = watch.subjects[subject.name]
    let isMoving = seen?.isMoving ?? false
    let lost = seen?.rates?.lost ?? 0
    if lost > 0 { return losing(subject, lost, slow.reader(withoutCreditAt: subject)) }
    let hasSenders = !subject.publications.isEmpty
    if !isMoving, let fault = slow.fault(sendingTo: subject.name) {
      let text = "\(hasSenders ? "Nothing is sent" : "Nobody sends") to \(subject.name)"
      return Verdict(code: .quiet, text: "").blaming(fault, text)
    }
    if !isMoving, !hasSenders {
      return Verdict(code: .quiet, text: "Quiet: nobody sends to \(subject.name).")
    }
    let who = readers == 1 ? "1 subscription reads" : "\(readers) subscriptions read"
    return isMoving
      ? Verdict(code: .well, text: "All is well: \(who) \(subject.name), nothing waits.")
      : Verdict(code: .quiet, text: "Quiet: nothing is sent to \(subject.name); \(who) it.")
  }

  /// The subject's subscriptions miss values, among them `reader`'s.
  private func losing(
    _ subject: ServerSubject,
    _ lost: Double,
    _ reader: SlowReader?
  ) -> Verdict {
    let place = reader.map { $0.name == subject.name ? "" : " in \($0.name)" } ?? ""
    let loses = "Loses \(Verdict.rate(lost))"
    let all = "\(loses): its subscriptions ask for less than comes."
    let verdict = Verdict(
      // The reader has a verdict of its own with more details.
      code: .elsewhere,
      text: reader.map { "\(loses): \($0.label)\(place) asks for less than comes." } ?? all,
      hint: "A buffer behind it holds what comes in bursts; "
        + (subject.isLossless
          ? "publishers wait for those only whose token has the right hold."
          : "with flow=slowest its publishers would wait."),
      lost: lost,
      at: 0,
      plain: all
    )
    return reader.map { verdict.blaming($0) } ?? verdict
  }
}
