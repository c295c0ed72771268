internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

/// Something that holds memory, and how to free that.
struct Holder {
  enum Who {
    case client(Client)
    case run(Run)
    /// What the `share`s of a named pipeline hold for all its subscriptions.
    case pipeline(String, Pipeline, Engine)
    case subject(ServerSubject, Engine)
  }

  let who: Who
  var bytes: Int
  /// The streams of a client, those that hold most last: there may be thousands, which are ended one
  /// after the other.
  private var streams: [ClientSubscription]?

  init(_ who: Who) {
    self.who = who
    bytes =
      switch who {
      case .client(let client):
        client.open.subscriptions.reduce(client.bytes) { $0 + $1.pipelineBytes }
      case .run(let run): run.bytes
      case .pipeline(_, let pipeline, _): pipeline.sharedBytes
      case .subject(let subject, _): subject.bytes
      }
  }

  var isClient: Bool { if case .client = who { true } else { false } }

  /// Whether it still exists.
  var isThere: Bool {
    switch who {
    case .client(let client): client.ending != .closed
    case .run, .pipeline, .subject: true
    }
  }

  /// The open stream of a client that held most when this was first asked for.
  private mutating func dearestStream(of client: Client) -> ClientSubscription? {
    if streams == nil {
      let held = client.open.subscriptions.map { (stream: $0, bytes: $0.pipelineBytes) }
      streams = held.sorted { $0.bytes < $1.bytes }.map(\.stream)
    }
    while let stream = streams?.popLast() {
      if stream.isOpen { return stream }
    }
    return nil
  }

  /// Ends its largest part; returns how many bytes that held.
  mutating func end(_ configuration: Configuration) -> Int {
    let refusal = "ended because the server is short of memory and this held the most"
    switch who {
    case .client(let client):
      if let dearest = dearestStream(of: client), dearest.pipelineBytes > client.bytes {
        let bytes = dearest.pipelineBytes
        client.engine.notify(.relieved(who: dearest.label, bytes: bytes))
        dearest.fail(.limit, "\(refusal): \(bytes) bytes")
        return bytes
      }
      client.engine.notify(.relieved(who: "client=\(client.id)", bytes: bytes))
      client.bye(.overflow, "\(refusal): \(client.bytes) bytes")
      client.connection.close()
      return bytes
    case .run(let run):
      run.engine.notify(.relieved(who: run.label, bytes: bytes))
      run.fail(.limit, "\(refusal): \(bytes) bytes")
    case .pipeline(let name, let pipeline, let engine):
      engine.notify(.relieved(who: "pipeline=\(name)", bytes: bytes))
      for stream in engine.streams(of: pipeline) {
        stream.fail(.limit, "\(refusal): \(bytes) bytes")
      }
      pipeline.forgetShared()
    case .subject(let subject, let engine):
      engine.notify(.relieved(who: "subject=\(subject.name)", bytes: bytes))
      subject.giveUpKept()
    }
    return bytes
  }
}
