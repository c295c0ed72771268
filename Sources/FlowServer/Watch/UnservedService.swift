internal import FlowLanguage
internal import FlowWire

/// A service with waiting calls and no worker on this server.
struct UnservedService {
  let name: String
  let calls: Int
  /// The streams and runs that make the calls, each once.
  let owners: [any PipelineOwner]
  /// Whether workers of other servers could answer, too.
  let isShared: Bool

  /// How many calls are searched for their owners.
  private static let mostCalls = 1000

  /// Returns nil unless calls wait and no worker is here.
  init?(_ service: Service, isShared: Bool) {
    guard !service.hasWorkers, let first = service.firstWaiting else { return nil }
    name = service.name
    calls = service.waitingCount
    self.isShared = isShared
    var (owners, known): ([any PipelineOwner], Set<ObjectIdentifier>) = ([], [])
    for call in sequence(first: first, next: { $0.next }).prefix(Self.mostCalls) {
      if let owner = call.owner, known.insert(ObjectIdentifier(owner)).inserted {
        owners.append(owner)
      }
    }
    self.owners = owners
  }

  var hint: String { "flowclient serve \(name) -- COMMAND starts one." }

  /// The sentence about waiting calls; `labels` name their owners.
  func text(for labels: [String]) -> String {
    let all = labels.count > 3 ? labels.prefix(3) + ["others"] : labels[...]
    let who = all.isEmpty ? "" : " of \(all.joined(separator: ", "))"
    let wait = calls == 1 ? "1 call\(who) waits for one" : "\(calls) calls\(who) wait for one"
    return "\(name) has no worker\(isShared ? " on this server" : ""): \(wait)."
  }
}

extension WatchReport {
  /// The services without a worker that the gate reads; nil if there are none.
  func unserved(_ slow: SlowReaders) -> Value? {
    let all = slow.unserved.filter { gate.reads($0.name) }.prefix(Self.mostUnserved)
    guard !all.isEmpty else { return nil }
    return .array(
      all.map { service -> Value in
        var labels: [String] = []
        for person in service.owners.map(person) where !labels.contains(person) {
          labels.append(person)
        }
        return .object([
          "service": .string(service.name),
          "calls": .int(service.calls),
          "text": .string(FrameWriter.oneLine(service.text(for: labels))),
          "hint": .string(service.hint),
          "own": service.owners.contains(where: isOwn) ? .bool(true) : nil,
        ])
      }
    )
  }

  /// How many are shown, so that they fit on a screen.
  private static let mostUnserved = 20

  /// Whether it is a stream of the asking client.
  private func isOwn(_ owner: any PipelineOwner) -> Bool {
    (owner as? ClientSubscription).map { $0.client.id == query.asker } ?? false
  }

  private func person(_ owner: any PipelineOwner) -> String {
    switch owner {
    case let stream as ClientSubscription:
      gate.seesServer ? stream.person : isOwn(stream) ? "this client" : "a client"
    case let run as Run: gate.knows(run.name) ? "run \(run.name)" : "a run"
    default: "a server"
    }
  }
}
