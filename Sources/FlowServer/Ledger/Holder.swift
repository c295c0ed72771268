internal import FlowLanguage
internal import FlowTransport

/// Somebody for whom memory is held, and how it is taken back.
struct Holder {
  enum Who {
    case client(Client)
    case run(Run)
    /// What a named pipeline's `share`s hold for all of its subscriptions.
    case pipeline(String, Pipeline, Engine)
    case subject(ServerSubject)
  }

  let who: Who
  var octets: Int

  init(_ who: Who) {
    self.who = who
    octets =
      switch who {
      case .client(let client):
        client.open.subscriptions.reduce(client.octets) { $0 + $1.pipelineOctets }
      case .run(let run): run.octets
      case .pipeline(_, let pipeline, _): pipeline.sharedOctets
      case .subject(let subject): subject.octets
      }
  }

  var isClient: Bool { if case .client = who { true } else { false } }

  /// Whether it has not gone since.
  var isThere: Bool {
    switch who {
    case .client(let client): client.ending != .closed
    case .run, .pipeline, .subject: true
    }
  }

  /// Ends what holds most of it; returns how much that was.
  func end(_ configuration: Configuration) -> Int {
    let refusal = "the server is short of memory, and this held most of it"
    switch who {
    case .client(let client):
      let dearest = client.open.subscriptions.max { $0.pipelineOctets < $1.pipelineOctets }
      if let dearest, dearest.pipelineOctets > client.octets {
        let octets = dearest.pipelineOctets
        client.engine.note(.relieved(who: dearest.label, octets: octets))
        dearest.fail("limit", "\(refusal): \(octets) octets")
        return octets
      }
      client.engine.note(.relieved(who: "client=\(client.id)", octets: octets))
      client.bye("overflow", "\(refusal): \(client.octets) octets")
      client.connection.close()
      return octets
    case .run(let run):
      run.engine.note(.relieved(who: run.label, octets: octets))
      run.fail("limit", "\(refusal): \(octets) octets")
    case .pipeline(let name, let pipeline, let engine):
      engine.note(.relieved(who: "pipeline=\(name)", octets: octets))
      for stream in engine.streams(of: pipeline) {
        stream.fail("limit", "\(refusal): \(octets) octets")
      }
      pipeline.forgetShared()
    case .subject(let subject):
      subject.engine.note(.relieved(who: "subject=\(subject.name)", octets: octets))
      subject.giveUpKept()
    }
    return octets
  }
}
