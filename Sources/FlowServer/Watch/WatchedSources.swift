internal import FlowLanguage
internal import FlowSubjects

/// The subjects that all runs of a pipeline read, as they are now; of a pattern there may be thousands.
final class WatchedSources {
  private let subjects: [ServerSubject]
  private let name: String
  private let slow: SlowReaders

  init(of pipeline: Pipeline, named name: String, in engine: Engine, _ slow: SlowReaders) {
    let names = pipeline.subjects + engine.registry.subjects(in: pipeline.patterns)
    subjects = names.compactMap { engine.registry.subject($0) }
    self.name = name
    self.slow = slow
  }

  /// Values that wait with publishers.
  private(set) lazy var waiting = subjects.reduce(0) { $0 + $1.waitingInAll }

  /// Who holds one of them up, if that is somebody else.
  private(set) lazy var elsewhere: SlowReader? =
    subjects.lazy.compactMap { [slow, name] in slow.reader(of: $0, but: name) }.first

  /// A run that sends to one of them, and waits for a service without a worker.
  private(set) lazy var unservedSender: Run? =
    subjects.lazy.compactMap { [slow] in slow.unservedRun(sendingTo: $0.name) }.first

  /// A run that sent to one of them, and has failed.
  private(set) lazy var failedSender: Run? =
    subjects.lazy.compactMap { [slow] in slow.failed.sending(to: $0.name) }.first
}
