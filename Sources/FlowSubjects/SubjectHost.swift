package import FlowCore
package import FlowLanguage
package import FlowWire

/// Where subjects are: a server, or a test of a file.
///
/// It outlives them.
package protocol SubjectHost: AnyObject {
  /// What stalls are measured with.
  var clock: VirtualTimeScheduler { get }
  /// How long what waits may be sent in a turn.
  var timeSlice: TimeSlice { get }
  /// How long a subscription may hold up the others, in nanoseconds, where its subject says nothing.
  var stall: Int64 { get }
  /// The most bytes that a subject keeps for those who come later.
  var subjectHoldLimit: Int { get }
  /// The most bytes that wait for credit in a publication.
  var inboxLimit: Int { get }

  /// How many searches for ways that lead to one place there have been.
  var searches: Int { get set }

  /// The subject called `name`.
  func subject(_ name: String) -> ServerSubject?
  /// Calls `join` with the name of each subject of `set`: of those there are, unless only `new` ones are
  /// wanted, and of each that is made until the result is cancelled.
  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable
  /// Calls the subject's `resume` before the turn ends.
  func scheduleResume(_ subject: ServerSubject)
  /// Keeps `object` until the turn ends, since it may be in the middle of something.
  func releaseLater(_ object: AnyObject)
  /// The subjects keep so many bytes more, or fewer.
  func keptChanged(by change: Int)
  func completed(_ subject: ServerSubject)
  /// A subscription is about to be ended since it has held up the others.
  func isTooSlow(_ outlet: Outlet, for subject: ServerSubject)
  /// The subject is no longer to be found by its name.
  func deleted(_ subject: ServerSubject)
}

extension SubjectHost {
  var now: Int64 { clock.now.nanoseconds }
}

/// Whoever sends lines to a subject without a publication.
package protocol SubjectFeed: AnyObject {
  /// The subject takes no more, since it has `completed` or was `deleted`.
  func subjectEnded(_ reason: ErrorCode)
}

/// Whom a pipeline serves that reads a subject.
package protocol SubjectReader: PipelineContext {
  /// Who this is, as LIST and SHOW say it.
  var label: String { get }
  /// The name, if it is a run.
  var run: String? { get }
  /// Whether it asks for nothing since what was sent to its client is not read.
  var isUnread: Bool { get }
  /// How many values it may be given as one batch now, if all of its pipeline takes batches.
  var batchRoom: Int { get }
  /// Whether its pipeline leads, or may come to lead, from one subject to another, or to what other
  /// pipelines lead to.
  var mayMeet: Bool { get }
}

/// What holds for subjects where nobody says otherwise.
package enum SubjectDefaults {
  /// How long a subscription may hold up the others, in nanoseconds.
  package static let stall: Int64 = 30_000_000_000
  /// How many values a publisher may send ahead of those that have gone out.
  package static let grant = 64
}
