internal import FlowCore
internal import FlowLanguage
internal import FlowWire

/// A client's stream that answers calls: `SERVE NAME N`.
final class Worker {
  let id: UInt64
  let service: Service
  private(set) var client: Client?

  /// The demand for calls; `Int.max` is no limit.
  private(set) var spare = 0
  /// The number of its last call.
  private(set) var lastNumber: UInt64
  private(set) var given: UInt64 = 0
  /// Its open calls, by number.
  @safe @exclusivity(unchecked) private var calls: [UInt64: Call] = [:]  // memory 6

  /// When it got its last call, on its service's counter.
  var turn: UInt64 = 0
  /// The index in its service's heap; negative if it can take no call.
  var place = -1
  /// The index among its service's workers.
  var slot = 0
  /// Whether it waits for its client's bytes to be sent.
  private var isScheduled = false

  /// Makes a worker whose first call has the number after `last`.
  init(id: UInt64, service: Service, client: Client, after last: UInt64) {
    self.id = id
    self.service = service
    self.client = client
    lastNumber = last
  }

  var demand: Demand { spare == .max ? .unlimited : .max(UInt64(spare)) }

  /// Adds demand without taking calls yet.
  func raise(_ demand: Demand) {
    spare = addDemand(spare, Int(clamping: demand.max ?? .max))
  }

  /// Whether it may get a call now; false while its client does not read.
  var isReady: Bool { spare > 0 && client?.hasRoomForCalls ?? false }

  func requestMore() { if client != nil { service.changed(self) } }

  /// Waits for its client's bytes to be sent, if only these prevent calls.
  func scheduleIfFull() {
    guard spare > 0, !isScheduled, let client else { return }
    isScheduled = true
    client.scheduleResume(of: self)
  }

  /// Takes calls if there is room now that bytes were sent.
  func resume() {
    isScheduled = false
    requestMore()
  }

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

  enum Found {
    case running(Call)
    case ended
    case unknown
  }

  func call(_ number: UInt64) -> Found {
    if let call = calls[number] { return .running(call) }
    return number <= lastNumber ? .ended : .unknown
  }

  /// The open calls, in order of their numbers.
  var running: [(number: UInt64, call: Call)] {
    calls.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func ended(_ number: UInt64) {
    calls[number] = nil
    service.left(answered: true)
  }

  func cancel(_ number: UInt64) {
    guard calls.removeValue(forKey: number) != nil else { return }
    client?.signal(.cancel(StreamID(service: id, call: number)))
    service.left(answered: false)
  }

  /// Sends a call's new demand.
  func request(_ number: UInt64, _ demand: Demand) {
    client?.signal(.request(StreamID(service: id, call: number), demand))
  }

  /// Ends the stream; its open calls fail, and the pipelines may make them again.
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

  /// Fails the stream with an error.
  func fail(_ code: ErrorCode, _ text: String) {
    client?.engine.counters.count("FAIL", code.rawValue)
    client?.signal(.fail(StreamID(rawValue: id), code: code.rawValue, text: text))
    leave(code.rawValue)
  }
}
