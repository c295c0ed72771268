import FlowTransport
import Glibc

/// The file that keeps what was typed, for its owner's eyes only.
///
/// Whatever fails about it is no error: then nothing is kept. Several programs may add to it at a time.
struct HistoryFile {
  /// `flowclient/history` in the state folder of XDG; nil if there is no such folder.
  let path: String?

  /// A file with more lines is shortened when it is opened.
  private static let mostLines = 2 * History.longest

  /// - Parameter value: what a variable says.
  init(_ value: (ClientVariable) -> String?) {
    func folder(_ variable: ClientVariable) -> String? {
      // Only an absolute path counts, says XDG.
      value(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let state = folder(.stateFolder) ?? folder(.home).map { "\($0)/.local/state" }
    path = state.map { "\($0)/flowclient/history" }
  }

  func read(_ platform: any Platform) -> History {
    guard let path, let bytes = try? platform.contents(ofFile: path) else { return History() }
    let history = History(file: bytes)
    if bytes.lazy.filter({ $0 == 10 }).count > Self.mostLines {
      let lines = history.entries.map(History.fileLine)
      try? platform.replaceFile(path, with: Array(lines.joined().utf8))
    }
    return history
  }

  /// Adds an entry at its end, in one piece.
  func append(_ entry: String) {
    guard let path else { return }
    makeFolders(of: path)
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY
    let descriptor = unsafe open(path, flags, 0o600)
    guard descriptor >= 0 else { return }
    _ = SystemPlatform.write(Array(History.fileLine(entry).utf8)[...], to: descriptor)
    close(descriptor)
  }

  private func makeFolders(of path: String) {
    var folder = ""
    for part in path.split(separator: "/").dropLast() {
      folder += "/\(part)"
      _ = unsafe mkdir(folder, 0o700)
    }
  }
}
