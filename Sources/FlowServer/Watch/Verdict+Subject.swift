internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

extension Engine {
  /// The verdict on a subject: for whom it waits, or whether anybody sends or reads.
  func verdict(on subject: ServerSubject, _ slow: SlowReaders) -> Verdict {
    if let shared = subject.settings.nats == nil ? nil : shared?[subject.name], !shared.link.isUp {
      return Verdict(
        code: .elsewhere,
        text: "NATS is away: what is sent to \(subject.name) waits here.",
        hint: "Nothing that was answered OK is lost; it goes on when NATS is back."
      )
    }
    let waiting = waiting(at: subject)
    if let reader = slow.reader(of: subject) {
      let place = reader.name == subject.name ? "" : " in \(reader.name)"
      let values = waiting == 1 ? "1 value waits" : "\(waiting) values wait"
      return Verdict(
        code: .elsewhere,
        text:
          "Held up by \(reader.label)\(place): \(waiting == 0 ? "its publishers wait" : values).",
        hint: "With flow=slowest the slowest subscription sets the pace for all.",
        end: reader.label,
        stream: reader.stream,
        name: reader.name
      )
    }
    let readers = readable(subject).reduce(0) { $0 + $1.outletCount }
    if readers == 0 {
      return Verdict(
        code: .asleep,
        text: subject.isLossless
          ? "Nobody reads \(subject.name): what is sent to it waits."
          : "Nobody reads \(subject.name): what is sent to it is gone.",
        hint: "flowclient sub \(subject.name) reads it."
      )
    }
    if subject.publications.isEmpty, !watch.isMoving(subject) {
      return Verdict(code: .quiet, text: "Quiet: nobody sends to \(subject.name).")
    }
    let who = readers == 1 ? "1 subscription reads" : "\(readers) subscriptions read"
    return watch.isMoving(subject)
      ? Verdict(code: .well, text: "All is well: \(who) \(subject.name), nothing waits.")
      : Verdict(code: .quiet, text: "Quiet: nothing is sent to \(subject.name); \(who) it.")
  }
}
