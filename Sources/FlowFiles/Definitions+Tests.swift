internal import FlowLanguage
internal import Spelling

/// Whether the rows of tests are about what there is.
extension Definitions {
  /// What is wrong with the test of a step.
  func findings(inTestOf step: Script.Step) -> [Finding] {
    guard case .test(let test) = step.statement.kind else { return [] }
    return test.rows.flatMap { row -> [Finding] in
      if let message = problem(with: row, of: test) {
        let (line, column, length) = (row.number, row.column, row.name.count)
        return [step.file.finding(.error, message, line: line, column: column, length: length)]
      }
      guard case .service(let closure, let column) = row.kind else { return [] }
      return findings(about: closure, line: row.number, column: column, in: step.file)
    }
  }

  private func problem(with row: MarbleTest.Row, of test: MarbleTest) -> String? {
    let isService = test.serves(row.name)
    switch (self[row.name]?.content, row.kind) {
    case (nil, .service): return repeated(row, test)
    case (nil, .values) where isService: return repeated(row, test)
    case (nil, _) where isService:
      return "\(row.name) is a service; its second row must list the values it is called with"
    case (nil, _): return mayBeMissing(row.name) ? nil : unknown(row.name)
    case (let content?, .service):
      return "\(row.name) is a \(content.kind) in the file; give the service another name"
    case (.broken, _): return nil
    case (.subject, .values), (.pipeline, _), (.run, .values): return repeated(row, test)
    case (.subject, _):
      return "\(row.name) is a subject; use such a row for a PIPELINE that reads it"
    case (.run, _): return "\(row.name) is a run, whose demand is what its subject grants"
    }
  }

  private func repeated(_ row: MarbleTest.Row, _ test: MarbleTest) -> String? {
    let same = test.rows.filter { $0.name == row.name && $0.sort == row.sort }
    return same.count > 1 && same[0].number != row.number
      ? "duplicate row; the first one is in line \(same[0].number)" : nil
  }

  private func unknown(_ name: String) -> String {
    if name == "serve" { return "write a row that replaces workers as serve NAME { Just($0) }" }
    let meant = FileCommand.hint(name, all.map(\.name))
    return "unknown name \"\(name.excerpt())\"\(meant.map { "; did you mean \"\($0)\"?" } ?? "")"
  }

  /// What is wrong with the closure that stands in for workers.
  private func findings(
    about closure: String,
    line: Int,
    column: Int,
    in file: FlowFile
  ) -> [Finding] {
    do throws(Diagnostic) {
      let names = { all.map(\.name) + Self.ownSubjects }
      _ = try ServiceClosure(closure, lookup: source, names: names)
      return []
    } catch {
      return error.all.map { mistake in
        let (column, length) = (column + mistake.offset, mistake.length)
        return file.finding(.error, mistake.text, line: line, column: column, length: length)
      }
    }
  }
}

extension MarbleTest.Row {
  /// What tells it apart from other rows of the same name.
  fileprivate var sort: Int {
    switch kind {
    case .values: 0
    case .demand: 1
    case .drops: 2
    case .service: 3
    }
  }
}
