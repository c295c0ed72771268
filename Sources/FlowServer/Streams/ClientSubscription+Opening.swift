internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects

extension ClientSubscription {
  /// Holds all requests and output until `start`; `answer` then says that the stream is open.
  func wait(saying answer: @escaping () -> Void) {
    let parked = ParkedValues()
    parked.sayFirst = answer
    self.parked = parked
  }

  /// Whether the stream still waits for `start`.
  var isOpening: Bool { parked?.sayFirst != nil }

  /// Answers that the stream is open, and starts it.
  func start() {
    sayFirst()
    valuesMayCome()
    sendParked()
    requestMore()
  }

  func sayFirst() { parked?.sayFirst.take()?() }

  func subscribe(to subject: ServerSubject) {
    let outlet = StreamOutlet(self)
    source = .subject(outlet)
    subject.add(outlet) {}
    if source.outlet != nil { requestMore() }
  }

  func subscribe(to pipeline: Pipeline) {
    let subscriber = PipelineSubscriber(self)
    let extras = makeExtras()
    extras.pipeline = pipeline
    if name != "-" {
      let counters = StageCounters(count: pipeline.stages.count)
      extras.counters = counters
      if !pipeline.viewers.isEmpty { pipeline.showStages(of: counters) }
      if pipeline.companion != nil { subscriber.isTapped(true) }
    }
    let context = RunningContext(
      pipeline,
      engine: client.engine,
      owner: self,
      counters: extras.counters
    )
    source = .pipeline(subscriber, context)
    pipeline.publisher(in: context).subscribe(subscriber)
  }
}
