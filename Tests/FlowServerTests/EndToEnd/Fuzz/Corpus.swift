import Foundation

/// The conversations to mutate: the files of `Tests/Corpus`, and the clients' lines in the transcripts
/// of `protocol.md`.
struct Corpus {
  private(set) var conversations: [[UInt8]] = []
  /// All lines of the conversations.
  private(set) var lines: [[UInt8]] = []

  init() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Corpus")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    for file in files.sorted() where file.hasSuffix(".txt") {
      conversations.append([UInt8](try Data(contentsOf: folder.appending(path: file))))
    }
    for transcript in try Transcript.all(in: "protocol.md") {
      for client in Set(transcript.steps.map(\.client)).sorted() {
        let sent = transcript.steps.compactMap { step -> String? in
          if step.client == client, case .send(let line) = step.step { line } else { nil }
        }
        conversations.append(Array((sent.joined(separator: "\n") + "\n").utf8))
      }
    }
    lines = conversations.flatMap { $0.split(separator: 10).map(Array.init) }
  }
}
