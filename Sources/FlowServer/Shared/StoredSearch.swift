internal import FlowNATS

/// Looks how many values of a batch are stored, where NATS has not said so: if its disk or memory runs out in the
/// midst of one, it stores the first of them, and then says nothing, that none is stored, or that all are (2.15.1).
final class StoredSearch {
  enum Finding: Equatable, Sendable {
    /// The first so many of them, the last one at this place.
    case some(Int, last: UInt64)
    case none
    /// None of them is there, but what was stored meanwhile has been purged in part.
    case unclear
    /// None of them is among the messages that this search looked at, and there are more to search.
    case more
    /// NATS has not answered.
    case unanswered

    /// Whether all of a batch is there.
    func isWhole(of count: Int) -> Bool { if case .some(count, _) = self { true } else { false } }
  }

  /// The part of a stream in which nothing of a batch was found, so that it is not searched again.
  struct Searched: Equatable {
    /// The last place that was searched, or the last one known before the batch was sent.
    var place: UInt64
    /// Whether messages in it were purged before they were looked at.
    var hasGaps = false
  }

  typealias Result = (finding: Finding, searched: Searched)

  /// Strong: pending requests keep the search alive, perhaps longer than this server has the subject.
  private let shared: SharedSubject
  /// What the batch was called, each time that it was sent.
  private let names: Set<String>
  private let count: Int
  private let done: (Result) -> Void
  private var searched: Searched
  /// Where the next message is looked for, and the last one.
  private var next: UInt64
  private var last: UInt64 = 0
  private var steps = 0
  private var found: (count: Int, last: UInt64)?

  /// Makes a search for a batch of `count` values with one of these names, starting behind `searched`.
  init(
    _ shared: SharedSubject,
    _ names: Set<String>,
    _ count: Int,
    behind searched: Searched,
    _ done: @escaping (Result) -> Void
  ) {
    self.shared = shared
    self.names = names
    self.count = count
    self.searched = searched
    self.done = done
    next = searched.place + 1
  }

  func start() {
    shared.link.request(shared.names.info(shared.name), within: JetStream.patience) { reply in
      guard let stream = try? StreamAnswer(reply) else { return self.end(.unanswered) }
      if stream.first > self.next { self.searched.hasGaps = true }
      self.next = max(self.next, stream.first)
      self.last = stream.last
      self.step()
    }
  }

  private func step() {
    guard next <= last else { return finish() }
    guard found != nil || steps < Self.most else { return end(.more) }
    steps += 1
    get(next) { message in
      guard let message else { return self.finish() }
      let isBehind = self.found != nil
      self.next = max(self.next, message.sequence) + 1
      if self.isOne(message) {
        self.found = (message.place, message.sequence)
        guard message.place < self.count else { return self.finish() }
        if !isBehind { return self.tryLast(behind: message) }
      } else if isBehind {
        // They are one behind the other.
        return self.finish()
      } else {
        self.searched.place = self.next - 1
      }
      self.step()
    }
  }

  /// Whether the last value is where it would be, if all are stored.
  private func tryLast(behind first: StoredMessage) {
    let place = first.sequence + UInt64(count - first.place)
    guard place <= last else { return step() }
    get(place) { message in
      guard let message, self.isOne(message), message.place == self.count else {
        return self.step()
      }
      self.found = (message.place, message.sequence)
      self.finish()
    }
  }

  private func get(_ place: UInt64, _ heard: @escaping (StoredMessage?) -> Void) {
    let request = shared.names.findValue(of: shared.name, from: place)
    shared.link.request(request, within: JetStream.patience) { reply in
      do throws(JetStreamError) {
        heard(try StoredMessage(reply))
      } catch {
        self.end(.unanswered)
      }
    }
  }

  private func isOne(_ message: StoredMessage) -> Bool {
    (message.batch ?? message.id).map(names.contains) ?? false
  }

  private func finish() {
    if let found { return end(.some(found.count, last: found.last)) }
    searched.place = max(searched.place, last)
    end(searched.hasGaps ? .unclear : .none)
  }

  private func end(_ finding: Finding) { done((finding, searched)) }

  /// How many messages one search looks at.
  private static let most = 1000
}
