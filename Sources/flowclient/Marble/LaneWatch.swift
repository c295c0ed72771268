import FlowCore
import FlowRemote
import FlowTransport
import Synchronization

/// Taps one name, and records the values for the drawing and for a test.
///
/// It requests a bounded number of values; the server reports the others as missed.
final class LaneWatch: RemoteSubscriptionHandler, Sendable {
  struct Input {
    let time: UInt64
    /// The value; `nil` is the end.
    let payload: [UInt8]?
    var hasFailed = false
  }

  private struct State {
    var lane: Lane
    var asked = 0
    var inputs: [Input] = []
    var inputBytes = 0
    var isCut = false
  }

  let name: String
  private let platform: any Platform
  private let keeps: Bool
  private let events: MarbleEvents?
  private let state: Mutex<State>
  /// The most values requested at a time, enough for each picture.
  static let window = 500
  private static let mostInputs = 20_000
  private static let mostBytes = 4 << 20

  /// Taps `name`; keeps the values if `keeps`, and writes all events to `events`.
  init(
    _ name: String,
    keeps: Bool,
    events: MarbleEvents? = nil,
    on platform: any Platform
  ) {
    self.events = events
    self.name = name
    self.platform = platform
    self.keeps = keeps
    state = Mutex(State(lane: Lane(name)))
  }

  var lane: Lane { state.withLock { $0.lane } }

  /// The kept values, and whether more arrived.
  var inputs: (all: [Input], isCut: Bool) { state.withLock { ($0.inputs, $0.isCut) } }

  /// Returns how many more values to request now.
  func nextDemand() -> Int {
    state.withLock { state in
      let missing = Self.window - (state.asked - Int(clamping: state.lane.values))
      guard missing > 0, state.lane.end == nil else { return 0 }
      state.asked += missing
      return missing
    }
  }

  func subscription(_ s: RemoteSubscription, received payload: UnsafeRawBufferPointer) {
    let now = platform.monotonicNanoseconds
    let shown = unsafe DisplayText.visible(String(decoding: payload.prefix(256), as: UTF8.self))
    let copy = unsafe keeps ? Array(payload) : []
    unsafe events?.write(payload, at: name)
    state.withLock { state in
      state.lane.add(.value(shown.isEmpty ? "''" : shown), at: now)
      if keeps { Self.keep(Input(time: now, payload: copy), in: &state) }
    }
  }

  private static func keep(_ input: Input, in state: inout State) {
    let bytes = state.inputBytes + (input.payload?.count ?? 0)
    guard state.inputs.count < mostInputs, bytes <= mostBytes, !state.isCut else {
      state.isCut = true
      return
    }
    state.inputBytes = bytes
    state.inputs.append(input)
  }

  func subscriptionPassedValues(_ s: RemoteSubscription) {}

  func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String) {
    let now = platform.monotonicNanoseconds
    state.withLock { $0.lane.add(.leftOut(count), at: now) }
    events?.write(leftOut: count, at: name)
  }

  func subscription(_ s: RemoteSubscription, ended error: RemoteError?) {
    let now = platform.monotonicNanoseconds
    if error != .closed { events?.write(end: error?.description, at: name) }
    state.withLock { state in
      state.lane.add(error.map { .failed($0.description) } ?? .finished, at: now)
      if keeps {
        Self.keep(Input(time: now, payload: nil, hasFailed: error != nil), in: &state)
      }
    }
  }
}
