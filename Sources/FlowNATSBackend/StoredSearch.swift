internal import FlowNATS

/// Finds out how many values of a batch are stored, if NATS has not said so.
///
/// When its disk or memory runs out during a batch, NATS 2.15.1 stores the first values, and then
/// answers nothing, or that none or all are stored.
final class StoredSearch {
  enum Finding: Equatable, Sendable {
    /// This many from the front, the last one at `last`.
    case some(Int, last: UInt64)
    case none
    /// None was found, but some newer messages were purged before the search.
    case unclear
    /// None was found so far, and there are more messages to search.
    case more
    case unanswered

    /// Whether the whole batch of `count` values is stored.
    func isWhole(of count: Int) -> Bool { if case .some(count, _) = self { true } else { false } }
  }

  /// The part of a stream that surely has nothing of a batch, and is not searched again.
  struct Searched: Equatable {
    /// The last sequence that was searched, or known before the batch was sent.
    var place: UInt64
    /// Whether messages in it were purged before they could be searched.
    var hasGaps = false
  }

  typealias Result = (finding: Finding, searched: Searched)

  /// Strong: pending requests keep the search alive, perhaps longer than this server has the subject.
  private let shared: SharedSubject
  /// The ids of the batch, one for each attempt.
  private let names: Set<String>
  private let count: Int
  private let done: (Result) -> Void
  private var searched: Searched
  private var next: UInt64
  private var last: UInt64 = 0
  private var steps = 0
  private var found: (count: Int, last: UInt64)?

  /// Searches for `count` values with one of these ids, behind `searched`.
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
        // The values are consecutive.
        return self.finish()
      } else {
        self.searched.place = self.next - 1
      }
      self.step()
    }
  }

  /// Checks whether the last value is where it would be if all are stored.
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

  /// How many messages one search reads.
  private static let most = 1000
}
