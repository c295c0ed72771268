import FlowFiles
import FlowLanguage
import FlowRemote
import FlowWire
import Programs

/// Makes a server's definitions match a file: `apply FILE`.
struct ApplyRequest: ClientCommand {
  var file = ""
  var isDryRun = false
  /// Whether it may delete stored values that a reader has not read.
  var isForced = false

  static let entry = VerbEntry(
    ApplyRequest(),
    usage: "apply FILE",
    group: .files,
    summary: "make the server match a file",
    remark:
      "Prints what is created and what is changed, that is deleted and created again; with -v also what is "
      + "unchanged. What the server has and the file does not stays as it is: apply removes nothing.",
    options: [
      .flag("dry-run", "only print what would be done", \.isDryRun),
      .flag("force", "also delete values that are stored and not read", \.isForced),
    ],
    examples: ["flowclient apply --dry-run shop.flow", "flowclient apply shop.flow"]
  )

  mutating func read(_ words: CommandWords) throws(UsageError) {
    let files = try words.files()
    guard files.count == 1 else {
      throw UsageError("apply takes one FILE; it may include others")
    }
    file = files[0]
  }

  private enum Change: Equatable {
    case make, none
    /// Deletes the name first, together with `unread` stored values.
    case replace(unread: UInt64 = 0)

    var isReplacement: Bool { if case .replace = self { true } else { false } }
    var unread: UInt64 { if case .replace(let count) = self { count } else { 0 } }
  }

  private typealias Step = (definition: Definition, change: Change)

  func run(in session: ClientSession) async throws(ClientError) -> ExitCode {
    let definitions = try TextFile.definitions(file, session.surroundings)
    let remote = try await session.connect()
    defer { remote.close() }
    var changes: [Step] = []
    var changed: Set<String> = []
    for definition in definitions.all {
      var change = try await self.change(of: definition, remote)
      // Readers of a replaced name must be replaced, too.
      if change == .none, !changed.isDisjoint(with: definition.names) { change = .replace() }
      if change != .none { changed.insert(definition.name) }
      changes.append((definition, change))
    }
    let others = try await names(remote).filter { definitions[$0.name] == nil }
    if isDryRun {
      for (definition, change) in changes { say(change, definition, session) }
    } else {
      if !isForced { try refuseDeletion(changes) }
      try await apply(changes, remote, session)
    }
    for (kind, name) in others { say(.none, kind, name, isInFile: false, session) }
    let unchanged = others.count + changes.count { $0.change == .none }
    if unchanged > 0, !session.remarks.isVerbose {
      session.remarks.note("\(unchanged) unchanged; -v lists them")
    }
    if !definitions.settings.isEmpty {
      session.remarks.note("set is only for files the server reads itself; ignored")
    }
    return .done
  }

  /// Throws if stored values would be deleted unread.
  private func refuseDeletion(_ steps: [Step]) throws(ClientError) {
    let losses = steps.filter { $0.change.unread > 0 }
    guard !losses.isEmpty else { return }
    let names = losses.map { "\($0.definition.name) (\($0.change.unread))" }.joined(separator: ", ")
    let count = losses.reduce(0) { $0 + $1.change.unread }
    let values = Figure.counted(count, "unread value")
    throw ClientError(
      .no,
      "apply would delete \(values) of \(names); nothing is applied",
      advice: "apply --force deletes them"
    )
  }

  /// Sends the changes, up to the first line that the server refuses.
  private func apply(
    _ steps: [Step],
    _ remote: FlowRemote,
    _ session: ClientSession
  ) async throws(ClientError) {
    var gone: [Definition] = []
    // Deletes old runs first, because together with new ones they might form a loop. Other names stay
    // until the line that replaces them.
    for (definition, change) in steps.reversed()
    where change.isReplacement && definition.kind == "run" {
      do throws(ClientError) {
        try await remote.answer(to: .delete(definition.name))
      } catch {
        throw failure(error, at: definition, steps[...], gone)
      }
      gone.insert(definition, at: 0)
    }
    for (index, (definition, change)) in steps.enumerated() {
      do throws(ClientError) {
        if change.isReplacement, definition.kind != "run" {
          try await remote.answer(to: .delete(definition.name))
          gone.append(definition)
        }
        if change != .none { try await remote.answer(to: definition.line.text) }
      } catch {
        throw failure(error, at: definition, steps[index...], gone)
      }
      gone.removeAll { $0.name == definition.name }
      say(change, definition, session)
    }
  }

  /// Returns the error of a refused line, with the steps not applied and the names deleted.
  private func failure(
    _ error: ClientError,
    at definition: Definition,
    _ rest: ArraySlice<Step>,
    _ gone: [Definition]
  ) -> ClientError {
    func names(_ definitions: [Definition]) -> String {
      definitions.map { "\($0.kind) \($0.name)" }.joined(separator: ", ")
    }
    var advice = "not applied: \(names(rest.filter { $0.change != .none }.map(\.definition)))"
    if !gone.isEmpty { advice += "\ndeleted and not recreated: \(names(gone))" }
    let place = "\(definition.file.name):\(definition.line.number)"
    return ClientError(error.exit, "\(place): \(error.message)", advice: advice)
  }

  private func say(_ change: Change, _ definition: Definition, _ session: ClientSession) {
    say(change, definition.kind, definition.name, isInFile: true, session)
  }

  /// Prints a change; with `-v` also that there is none.
  private func say(
    _ change: Change,
    _ kind: String,
    _ name: String,
    isInFile: Bool,
    _ session: ClientSession
  ) {
    guard change != .none || session.remarks.isVerbose else { return }
    let verb =
      switch change {
      case .make: isDryRun ? "would create" : "created"
      case .replace: isDryRun ? "would change" : "changed"
      case .none: "unchanged"
      }
    var members = [("change", verb), ("kind", kind), ("name", name)]
    let count = change.unread
    if count > 0 { members.append(("unread", "\(count)")) }
    let loss = count > 0 ? ", deleting \(Figure.counted(count, "unread value"))" : ""
    let place = isInFile ? "" : ", not in the file"
    session.surroundings.writeOutput(
      session.isJSON ? "\(JSONLine.texts(members))\n" : "\(verb) \(kind) \(name)\(loss)\(place)\n"
    )
  }

  // MARK: The server

  private func change(
    of definition: Definition,
    _ remote: FlowRemote
  ) async throws(ClientError) -> Change {
    let answer: RemoteAnswer
    do throws(ClientError) {
      answer = try await remote.answer(to: .show(definition.name))
    } catch {
      if error.code == .unknownName { return .make }
      throw error
    }
    let rows = answer.rows.map { Row($0) }
    guard let row = rows.first(where: { $0.kind == .definition }),
      let there = try? TaggedCommand(row.text).command,
      let here = try? TaggedCommand(definition.line.text).command
    else { return .replace() }
    // The lines may differ in blanks, and so in the columns of expressions.
    return there.bytes == here.bytes ? .none : .replace(unread: Self.unread(rows))
  }

  /// Returns the number of waiting or stored unread values of a subject, from the rows of SHOW.
  private static func unread(_ rows: [Row]) -> UInt64 {
    func greatest(_ key: String, _ kind: Row.Kind) -> UInt64 {
      let counts = rows.filter { $0.kind == kind }.compactMap { $0.fields.count(key) }
      return min(counts.max() ?? 0, Self.most)
    }
    let stored = max(greatest("used", .figures), greatest("behind", .reader))
    return stored + greatest("waiting", .figures)
  }

  /// The upper bound of a count, so that sums of a few do not overflow.
  private static let most: UInt64 = 1 << 53

  private func names(
    _ remote: FlowRemote
  ) async throws(ClientError) -> [(kind: String, name: String)] {
    let kinds: [Row.Kind] = [.subject, .pipeline, .run]
    return try await remote.answer(to: .list(nil)).rows.map { Row($0) }
      .filter { kinds.contains($0.kind) }.map { ($0.kind.word, $0.name) }
  }
}

extension Definition {
  /// The names that the definition mentions.
  fileprivate var names: [String] {
    if case .run(let standing) = content { reads + standing.outputs } else { reads }
  }
}
