internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

/// An answer of many rows, made only as fast as the peer reads.
final class Pages {
  private var next: (() -> String?)?
  private let last: (Int) -> Answer
  private let tag: String?
  private var count = 0

  /// Makes an answer; `last` gets the number of rows.
  init(tag: String?, next: @escaping () -> String?, last: @escaping (Int) -> Answer) {
    self.tag = tag
    self.next = next
    self.last = last
  }

  /// Makes an answer whose rows come later, with `begin`.
  init(tag: String?, last: @escaping (Int) -> Answer) {
    self.tag = tag
    self.last = last
  }

  var isReady: Bool { next != nil }

  func begin(_ next: @escaping () -> String?) { self.next = next }

  /// The limits of a page, in rows and bytes.
  private static let size = 128
  private static let bytes = 32 << 10

  /// Writes a page of rows; returns true if it was the last.
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
  /// Answers with rows, a page at a time; later answers wait.
  func answer(_ pages: Pages) {
    extras.pages = pages
    resumeAnswering()
    if extras.pages != nil { wait(.pages) }
  }

  /// Writes the next page if the peer has read enough; one page a turn.
  func resumeAnswering() {
    guard let pages = anyExtras?.pages, pages.isReady, ending != .closed, !connection.isBlocked,
      session.answers.held <= engine.configuration.connections.answerLimit
    else { return }
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
