internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

/// An answer of many rows, which are made as they are read: a peer that does not read holds one page.
final class Pages {
  private var next: (() -> String?)?
  private let last: (Int) -> Answer
  /// The tag of the command that is answered.
  private let tag: String?
  private var count = 0

  /// - Parameters:
  ///   - tag: the tag of the command.
  ///   - next: the next row, until there are no more.
  ///   - last: the answer that says that these were all, and how many.
  init(tag: String?, next: @escaping () -> String?, last: @escaping (Int) -> Answer) {
    self.tag = tag
    self.next = next
    self.last = last
  }

  /// Makes one whose rows are not known yet; `begin` says them.
  init(tag: String?, last: @escaping (Int) -> Answer) {
    self.tag = tag
    self.last = last
  }

  var isReady: Bool { next != nil }

  func begin(_ next: @escaping () -> String?) { self.next = next }

  /// How many rows are made at a stretch, and of how many bytes.
  private static let size = 128
  private static let bytes = 32 << 10

  /// Answers with a page of rows; true if those were the last.
  func write(to client: Client) -> Bool {
    client.session.tag = tag
    var bytes = 0
    for _ in 0..<Self.size where bytes < Self.bytes {
      guard let row = next?() else {
        client.answer(last(count))
        return true
      }
      client.row(row)
      bytes += row.utf8.count
      count += 1
    }
    return false
  }
}

extension Client {
  /// Answers with rows, as many as are read; what is said meanwhile waits.
  func answer(_ pages: Pages) {
    extras.pages = pages
    resumeAnswering()
    if extras.pages != nil { wait(.pages) }
  }

  /// Writes the next pages, as far as they are read: one in a turn.
  func resumeAnswering() {
    guard let pages = anyExtras?.pages, pages.isReady, ending != .closed else { return }
    guard !connection.isBlocked, session.answers.held <= engine.configuration.answerLimit else {
      return
    }
    let isLast = pages.write(to: self)
    guard isLast else {
      connection.flush()
      return engine.timeSlice.waitToRead { [weak self] in self?.resumeAnswering() }
    }
    extras.pages = nil
    endWait(.pages)
    streamEnded()
  }
}
