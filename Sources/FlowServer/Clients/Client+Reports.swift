internal import FlowSubjects
internal import FlowWire
internal import Spelling

extension Client {
  private var report: Report {
    Report(engine, for: id) { [unowned self] in session.access }
  }

  func list(_ kind: ListKind?, like pattern: String?) throws(DefinitionError) {
    let rows = report.list(kind, like: pattern.flatMap { NamePattern($0) })
    var first: String?
    // A pattern may match nothing, but a plain name must exist.
    if kind == nil, let pattern, !Name.isPattern(pattern) {
      first = rows()
      if first == nil { throw unknownName(pattern) }
    }
    let all = Report.chain(Report.each(of: first.map { [$0] } ?? []), rows)
    answer(Pages(tag: session.tag, next: all) { .plain(.list, "\($0)") })
  }

  func show(_ name: String) throws(DefinitionError) {
    guard let rows = report.show(name) else { throw unknownName(name) }
    guard let backend = engine.registry.subject(name)?.backend, backend.knowsReaders else {
      return answer(Pages(tag: session.tag, next: rows) { _ in .plain(.show, name) })
    }
    let pages = Pages(tag: session.tag) { _ in .plain(.show, name) }
    answer(pages)
    let report = report
    backend.findReaders { [weak self] readers in
      guard let self, ending != .closed else { return }
      // The other rows are made now, because the figures may have changed.
      pages.begin(Report.chain(report.show(name) ?? rows, report.readerRows(readers)))
      resumeAnswering()
    }
  }

  func stats(_ name: String?) throws(DefinitionError) {
    if let name, Name.isPattern(name), let pattern = NamePattern(name) {
      let rows = report.stats(like: pattern)
      return answer(Pages(tag: session.tag, next: rows) { .plain(.stats, "\($0)") })
    }
    if let name, engine.registry[name] == nil, engine.services[name] == nil {
      throw unknownName(name)
    }
    let rows = report.stats(name)
    rows.forEach { row($0) }
    answer(.plain(.stats, "\(rows.count)"))
  }

  func watch(_ name: String?, _ query: WatchQuery, known: Int?) throws(DefinitionError) {
    if let name, engine.registry[name] == nil { throw unknownName(name) }
    engine.watch.want(for: Watch.poll, name)
    var query = query
    query.asker = id
    let rows = engine.watch.rows(query, known: known) { [unowned self] in session.access }
    answer(Pages(tag: session.tag, next: rows) { _ in .plain(.watch, name) })
  }

  func explain(_ expression: Expression) throws(DefinitionError) {
    let (rows, stages) = try report.explain(expression)
    rows.forEach { row($0) }
    answer(.explain(stages: stages))
  }

  func help(_ word: String?) throws(DefinitionError) {
    guard let rows = Help.rows(for: word, engine.metrics) else {
      let meant = Help.nearestTopic(to: word ?? "")
      let topics = HelpTopic.allCases.map(\.rawValue).joined(separator: ", ")
      let advice =
        meant.map { "did you mean \($0)?" }
        ?? "the topics are \(topics); HELP lists commands, operators and functions, too"
      throw DefinitionError(
        .usage,
        "there is no help on \"\(FrameWriter.oneLine((word ?? "").excerpt()))\"; \(advice)"
      )
    }
    rows.forEach { row($0) }
    answer(.plain(.help, word))
  }
}
