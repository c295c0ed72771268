internal import FlowCore
internal import FlowLanguage
internal import FlowWire

/// One stream of a client that answers calls: `SERVE NAME N`.
final class Worker {
  let id: UInt64
  let service: Service
  /// `nil` once the stream has ended.
  private(set) var client: Client?

  /// Calls it takes more; `Int.max` is no limit.
  private(set) var spare = 0
  /// The number of the last call it was given.
  private(set) var lastNumber: UInt64
  /// How many calls it was given.
  private(set) var given: UInt64 = 0
  /// The calls it is at, by their numbers.
  @safe @exclusivity(unchecked) private var calls: [UInt64: Call] = [:]  // memory 6

  /// When it was given its last call, counted by its service.
  var turn: UInt64 = 0
  /// Where it stands in its service's heap; negative if it can take no call.
  var place = -1
  /// Where it stands among its service's workers.
  var slot = 0
  /// Whether its client looks, when bytes have been sent, whether there is room again.
  private var isScheduled = false

  /// Makes one whose first call has the number after `last`.
  init(id: UInt64, service: Service, client: Client, after last: UInt64) {
    self.id = id
    self.service = service
    self.client = client
    lastNumber = last
  }

  // MARK: Demand

  var demand: Demand { spare == .max ? .unlimited : .max(UInt64(spare)) }

  /// Adds to the demand without taking calls yet.
  func raise(_ demand: Demand) {
    spare = addDemand(spare, Int(clamping: demand.max ?? .max))
  }

  /// Whether it may be given a call; one that does not read its socket may not.
  var isReady: Bool { spare > 0 && client?.hasRoomForCalls ?? false }

  /// Takes calls that wait.
  func requestMore() { if client != nil { service.changed(self) } }

  /// If it is only for want of room that it can take no call, looks again when bytes were sent.
  func scheduleIfFull() {
    guard spare > 0, !isScheduled, let client else { return }
    isScheduled = true
    client.scheduleResume(of: self)
  }

  /// After bytes were sent: takes calls if there is room now.
  func resume() {
    isScheduled = false
    requestMore()
  }

  // MARK: Calls

  func give(_ call: Call) {
    given += 1
    lastNumber += 1
    if spare != .max { spare -= 1 }
    calls[lastNumber] = call
    let id = StreamID(service: id, call: lastNumber)
    client?.signal { output in
      unsafe call.argument.withBytes { unsafe FrameWriter.value(id, $0, into: &output) }
    }
    call.given(to: self, as: lastNumber)
  }

  /// What a number of a call stands for.
  enum Found {
    case running(Call)
    case ended
    case unknown
  }

  func call(_ number: UInt64) -> Found {
    if let call = calls[number] { return .running(call) }
    return number <= lastNumber ? .ended : .unknown
  }

  /// The calls it is at, in order.
  var running: [(number: UInt64, call: Call)] {
    calls.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The worker has ended a call.
  func ended(_ number: UInt64) {
    calls[number] = nil
    service.left(answered: true)
  }

  /// The pipeline no longer wants a call.
  func cancel(_ number: UInt64) {
    guard calls.removeValue(forKey: number) != nil else { return }
    client?.signal(.cancel(StreamID(service: id, call: number)))
    service.left(answered: false)
  }

  /// Tells how many values more a call may have.
  func request(_ number: UInt64, _ demand: Demand) {
    client?.signal(.request(StreamID(service: id, call: number), demand))
  }

  // MARK: The end

  /// Ends the stream: the calls it is at fail, and may be made again elsewhere.
  func leave(_ reason: String = "cancel") {
    guard let client else { return }
    self.client = nil
    service.remove(self)
    client.forget(self, reason)
    let lost = running
    calls.removeAll()
    for (_, call) in lost {
      call.lost()
      service.left(answered: false)
    }
    service.forgetIfUnused()
  }

  /// Ends the stream with an error of its own.
  func fail(_ code: ErrorCode, _ text: String) {
    client?.engine.counters.count("FAIL", code.rawValue)
    client?.signal(.fail(StreamID(rawValue: id), code: code.rawValue, text: text))
    leave(code.rawValue)
  }
}
