internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension Report {
  /// The rows of `name`, or nil if it is not defined.
  func show(_ name: String) -> Rows? {
    let service = engine.services[name]
    var rows: [String] = []
    var more: Rows = { nil }
    switch engine.registry[name] {
    case .subject(let subject):
      rows = showing(subject)
      more = subscriptionRows(subject)
    case .pipeline(let pipeline):
      rows = showing(pipeline, named: name)
      more = streamRows(of: pipeline)
    case .run(let run): rows = showing(run)
    case nil where service == nil: return nil
    case nil: break
    }
    let ofService = service.map { [$0.row] + $0.workers.flatMap(\.rows) } ?? []
    return Self.chain(Self.chain(Self.each(of: rows), more), Self.each(of: ofService))
  }

  private func showing(_ subject: ServerSubject) -> [String] {
    let definition = Command.subject(name: subject.name, subject.settings)
    var rows = [row(of: definition), Row(.figures, fields: engine.fields(of: subject))]
    switch subject.completion {
    case nil: break
    case .finished: rows.append(Row(.completed, text: "finished"))
    case .failure(let failure):
      let message = text(of: failure, [subject.name])
      rows.append(
        Row(.completed, text: "failed \(failure.code)\(message.isEmpty ? "" : " \(message)")")
      )
    }
    return rows.map(\.description)
  }

  private func subscriptionRows(_ subject: ServerSubject) -> Rows {
    var subjects = subject.readable[...]
    var place = 0
    return {
      while let subject = subjects.first {
        while place < (unsafe subject.outlets.count) {
          defer { place += 1 }
          guard let outlet = unsafe subject.outlets[place]?.takeUnretainedValue() else { continue }
          return row(of: outlet, at: subject)
        }
        subjects = subjects.dropFirst()
        place = 0
      }
      return nil
    }
  }

  /// Returns a row for each reader on all servers; nil if the readers are unknown.
  func readerRows(_ readers: [BackendReader]?) -> Rows {
    guard let readers else {
      return Self.each(of: ["\(Row(.readers, fields: ["unknown": true]))"])
    }
    return Self.each(
      of: readers.sorted { $0.behind > $1.behind }.map { reader in
        let kind: RowFields =
          switch reader.kind {
          case .subscriptions: ["subscriptions": true]
          case .run(let name): ["run": gate.knows(name) ? name : Gate.hidden]
          case .durable(let name): ["durable": name]
          case .foreign(let name): ["consumer": name]
          }
        let place: RowFields = ["server": reader.server, "behind": reader.behind]
        return "\(Row(.reader, fields: kind + place))"
      }
    )
  }

  private func row(of outlet: Outlet, at subject: ServerSubject) -> String {
    var owner = RowFields(outlet.owner[...])
    if let run = outlet.run { owner = ["run": gate.knows(run) ? run : Gate.hidden] }
    let demand = outlet.available == .max ? "max" : "\(outlet.available)"
    let undelivered = (engine.owner(of: outlet) as? ClientSubscription)?.parkedCount.unlessZero
    let stalled = subject.stalled(outlet).map { "\($0 / 1_000_000)ms" }
    let figures: RowFields = [
      "demand": demand, "flow": outlet.holds ? nil : SubjectSettings.Flow.free.rawValue,
      "undelivered": undelivered, "holds-up": stalled,
      "held-up": subject.heldUpLately(outlet).map { "\($0 / 1_000_000)ms" },
    ]
    return "\(Row(.subscription, fields: owner + figures))"
  }

  private func row(of definition: Command) -> Row {
    Row(.definition, text: "\(definition)")
  }

  private func showing(_ pipeline: Pipeline, named name: String) -> [String] {
    let names = pipeline.mentions
    let streams = engine.streams(of: pipeline)
    let figures = pipeline.figures(of: streams.compactMap(\.running?.counters))
    let expression = Expression(gate.visible(pipeline.text, of: names))
    let definition = Command.pipeline(name: name, expression: expression)
    let rows = [row(of: definition)] + showing(pipeline, figures, names) + leftOut(by: pipeline)
    return rows.map(\.description)
  }

  private func streamRows(of pipeline: Pipeline) -> Rows {
    var ids = engine.streams(of: pipeline).map { (client: $0.client.id, id: $0.id) }
      .sorted { ($0.client, $0.id) < ($1.client, $1.id) }[...]
    var isOver = false
    return {
      while let (client, id) = ids.popFirst() {
        guard case .subscription(let stream)? = engine.clients[client]?.open[id] else { continue }
        let place: RowFields = ["client": client, "id": id]
        return "\(Row(.stream, fields: place + stream.fields))"
      }
      guard !isOver, let (failure, time) = pipeline.history.lastFailure else { return nil }
      isOver = true
      let ago = (engine.now - time) / 1_000_000
      let text = text(of: failure, pipeline.mentions)
      return "\(Row(.failure, failure.code, text: text, fields: ["ago": "\(ago)ms"]))"
    }
  }

  private func showing(_ run: Run) -> [String] {
    let names = run.standing.mentions
    let inside = gate.reads(all: names)
    let pipeline = run.standing.pipeline
    let expression = Expression(gate.visible(run.standing.text, of: names))
    let definition = Command.run(
      name: run.name,
      expression: expression,
      restart: run.standing.restart,
      failed: run.standing.failed.map { gate.knows($0) ? $0 : Gate.hidden }
    )
    var rows = [row(of: definition)]
    rows += showing(pipeline, pipeline.figures(of: [run.counters]), names)
    if inside {
      rows.append(Row(.stage, "\(pipeline.stages.count)", text: run.standing.lastStage.text))
    }
    rows.append(Row(.figures, fields: Figures.runs.fields(of: run, inside: inside)))
    rows += leftOut(by: pipeline)
    if let failure = run.failure {
      rows.append(Row(.failure, failure.code, text: text(of: failure, names)))
    }
    return rows.map(\.description)
  }

  /// The rows of a pipeline's stages, or none unless all `names` in them may be read.
  private func showing(
    _ pipeline: Pipeline,
    _ figures: [StageFigures],
    _ names: [String]
  ) -> [Row] {
    guard gate.reads(all: names) else { return [] }
    return zip(pipeline.stages, figures).enumerated().map { number, stage in
      let fields = Figures.stages.fields(of: MeasuredStage(stage: stage.0, figures: stage.1))
      return Row(.stage, "\(number)", text: stage.0.text, fields: fields)
    }
  }

  /// The last value that was left out, for a client that may see all values the pipeline reads.
  private func leftOut(by pipeline: Pipeline) -> [Row] {
    guard let (text, time) = pipeline.leftOut.last, gate.reads(all: pipeline.mentions) else {
      return []
    }
    let ago = (engine.now - time) / 1_000_000
    return [Row(.leftOut, text: FrameWriter.oneLine(text), fields: ["ago": "\(ago)ms"])]
  }

  private func text(of failure: PipelineFailure, _ names: [String]) -> String {
    failure.message.isEmpty ? "" : gate.visible(failure.message, of: names)
  }
}
