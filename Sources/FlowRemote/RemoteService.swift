import FlowCore
import FlowWire

/// An open service: calls in, each to a publisher, whose values go out.
///
/// A call that has ended, in whatever way, makes room for another one, which is said once a turn.
@safe  // memory 8
final class RemoteService: @unchecked Sendable {  // its variables belong to the connection's queue
  /// Begins a call with the argument; the result goes to the call.
  typealias Begin = (_ argument: UnsafeRawBufferPointer, _ call: CallPlace) -> any RemoteCall

  private enum Phase {
    /// The connection that it is to be opened on is not there.
    case apart
    case opening, open, cancelled, ended
  }

  let link: Link
  private let remote: FlowRemote
  private let name: String
  private let jobs: Int
  private let ended: @Sendable (RemoteError) -> Void
  /// The closure that answers calls, until the end.
  private var begin: Begin?
  private var id = StreamID(rawValue: 0)
  private var phase = Phase.apart
  private var calls = RecentTable<UInt64, any RemoteCall>()
  /// The connection on which calls come; ends of calls on earlier ones are ignored.
  private var era = 0
  /// The number of calls that ended since the last request for more.
  private var vacancies: UInt64 = 0

  init(
    remote: FlowRemote,
    name: String,
    jobs: Int,
    ended: @escaping @Sendable (RemoteError) -> Void,
    begin: @escaping @Sendable (UnsafeRawBufferPointer, CallPlace) -> any RemoteCall
  ) {
    self.remote = remote
    self.link = remote.link
    self.name = name
    self.jobs = jobs
    self.ended = ended
    unsafe self.begin = unsafe begin
  }

  func open() {
    link.open(self) { self.id = $0 }
  }

  private func opened(_ answer: Result<RemoteAnswer, RemoteError>) {
    guard phase == .opening else { return }
    switch answer {
    case .success: phase = .open
    case .failure(let error): ended(error)
    }
  }

  /// Takes no more calls, and cancels the open ones, which the server then fails.
  func cancel() {
    link.perform { link in
      switch self.phase {
      case .opening, .open:
        self.phase = .cancelled
        link.command(Command.cancel(.stream(self.id)).bytes) { _ in
          self.phase = .ended
          link.forget(self.id)
        }
      case .apart:
        self.phase = .ended
        link.forget(self.id)
      case .cancelled, .ended: break
      }
      unsafe self.begin = nil
      self.cancelCalls()
    }
  }

  private func cancelCalls() {
    let cancelled = calls.values
    calls = RecentTable()
    vacancies = 0
    era += 1
    for call in cancelled { call.cancel() }
  }

  // MARK: For its calls, on the queue

  /// Whether the caller still waits for an answer.
  func isOpen(_ place: CallPlace) -> Bool {
    place.era == era && calls[place.number] != nil
  }

  func emit(_ payload: UnsafeRawBufferPointer, _ place: CallPlace) {
    unsafe link.writeValue(StreamID(service: id.rawValue, call: place.number), payload)
  }

  func end(_ place: CallPlace, _ error: RemoteError?) {
    guard place.era == era, calls.removeValue(forKey: place.number) != nil else { return }
    let call = Target.stream(StreamID(service: id.rawValue, call: place.number))
    link.write(error.map { link.failure(of: call, $0) } ?? .done(call))
    addVacancy()
  }

  private func addVacancy() {
    vacancies += 1
    if vacancies == 1 { link.owes(self) }
  }
}

extension RemoteService: LinkStream {
  var isEnding: Bool { phase == .cancelled || phase == .ended }

  func called(_ number: UInt64, _ payload: UnsafeRawBufferPointer) {
    guard phase == .opening || phase == .open, let begin = unsafe begin else { return }
    let place = CallPlace(service: self, number: number, era: era)
    let call = unsafe begin(payload, place)
    calls[number] = call
    call.begin()
  }

  func granted(_ count: Demand, call number: UInt64) {
    calls[number]?.request(count.max.map { .max(Int(clamping: $0)) } ?? .unlimited)
  }

  func cancelled(call number: UInt64) {
    guard let call = calls.removeValue(forKey: number) else { return }
    addVacancy()
    call.cancel()
  }

  func settle() {
    guard vacancies > 0, phase == .open || phase == .opening else { return }
    let count = Demand.max(vacancies)
    vacancies = 0
    link.write(.request(.stream(id), .demand(count)))
  }

  func connectionLost() {
    switch phase {
    case .opening, .open: phase = .apart
    case .apart, .cancelled, .ended: break
    }
    cancelCalls()
  }

  func connectionRestored() {
    guard phase == .apart else { return }
    phase = .opening
    let command = Command.serve(name: name, demand: .max(UInt64(jobs)), id: id)
    link.command(command.bytes) { self.opened($0) }
  }

  func ended(_ error: RemoteError?) {
    guard phase != .ended else { return }
    let wasCancelled = phase == .cancelled
    phase = .ended
    unsafe begin = nil
    link.forget(id)
    cancelCalls()
    let error = error ?? .cancelled("service", reason: nil)
    if !wasCancelled { ended(error) }
  }
}

/// The call that an answer belongs to.
struct CallPlace: Sendable {
  let service: RemoteService
  let number: UInt64
  let era: Int
}

/// A call as its service sees it, on the connection's queue.
protocol RemoteCall: AnyObject {
  /// Runs what answers it, once it is known to the service.
  func begin()
  func request(_ demand: Subscribers.Demand)
  func cancel()
}
