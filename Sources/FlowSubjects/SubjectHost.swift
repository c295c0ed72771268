package import FlowCore
package import FlowLanguage
package import FlowWire

/// Owns subjects: a server, or a test of a file.
///
/// It outlives them.
package protocol SubjectHost: AnyObject {
  /// Measures stalls.
  var clock: VirtualTimeScheduler { get }
  /// How long waiting values may be sent in one turn.
  var timeSlice: TimeSlice { get }
  /// How long a subscription may hold up others by default, in nanoseconds.
  var stall: Int64 { get }
  /// The most bytes that a subject keeps for later subscriptions.
  var subjectHoldLimit: Int { get }
  /// The most bytes that wait in one publication.
  var inboxLimit: Int { get }

  /// The number of the last search of `isOnlyWay`.
  var searches: Int { get set }

  func subject(_ name: String) -> ServerSubject?
  /// Calls `join` for each subject of `set` that exists, unless `new`, and for each one made later.
  ///
  /// Cancel the result to stop.
  func subjects(
    in set: SubjectSet,
    new: Bool,
    _ join: @escaping (String) -> Void
  ) -> AnyCancellable
  func scheduleResume(_ subject: ServerSubject)
  /// Keeps `object` until the turn ends, because its code may be running.
  func releaseLater(_ object: AnyObject)
  /// Adds `change` to the bytes that all subjects keep.
  func keptChanged(by change: Int)
  func completed(_ subject: ServerSubject)
  /// Reports a subscription that is about to be ended because it held up others.
  func isTooSlow(_ outlet: Outlet, for subject: ServerSubject)
  /// Reports that a subscription has held up others for `nanoseconds` in sum, and goes on.
  func holdsUp(_ outlet: Outlet, for subject: ServerSubject, for nanoseconds: Int64)
  /// Reports that the subject was removed from its name.
  func deleted(_ subject: ServerSubject)
}

extension SubjectHost {
  var now: Int64 { clock.now.nanoseconds }
}

/// Sends lines to a subject without a publication.
package protocol SubjectFeed: AnyObject {
  /// Reports that the subject takes no more values.
  func subjectEnded(_ reason: ErrorCode)
}

/// Whom a pipeline that reads a subject serves.
package protocol SubjectReader: PipelineContext {
  /// Its name in LIST and SHOW.
  var label: String { get }
  /// Its name, if it is a run.
  var run: String? { get }
  /// Whether it requests nothing because its client does not read.
  var isUnread: Bool { get }
  /// Whether it may make publishers wait.
  var holds: Bool { get }
  /// The largest batch that its pipeline may get now.
  var batchRoom: Int { get }
  /// Whether its pipeline may lead to another subject, or to where other pipelines lead.
  var mayConverge: Bool { get }
}

package enum SubjectDefaults {
  /// How long a subscription may hold up others, in nanoseconds.
  package static let stall: Int64 = 30_000_000_000
  /// How many values a publisher may send ahead.
  package static let grant = 64
}
