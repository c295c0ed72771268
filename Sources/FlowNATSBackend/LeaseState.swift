internal import FlowNATS

/// Whether this server holds a lease.
///
/// Transitions have no side effects; they return the steps that the lease performs in order.
/// Answers to earlier attempts are filtered out before.
struct LeaseState {
  enum Phase: Equatable {
    case unwanted
    /// It is requested repeatedly. `former` is a message of this process that NATS may have stored
    /// without an answer, or that this server held before NATS was silent.
    case wanted(former: UInt64?)
    /// NATS has stored this server's message at `sequence`, sent at `since`.
    case held(sequence: UInt64, since: Moment)
  }

  /// Nanoseconds since the server started, and the number of the connection to NATS then, from 1.
  struct Moment: Equatable {
    var time: Int64
    var connection: Int
  }

  enum Step: Equatable {
    case findStream
    /// Publishes a message if the last one is at `after`; calls `answered`.
    case publish(after: UInt64)
    /// Requests the last message, which is at `last` if that is known; calls `found`.
    case findHolder(last: UInt64?)
    case wait(nanoseconds: Int64)
    case watchAge(nanoseconds: Int64)
    case notify(isHeld: Bool)
    case notifyElsewhere
    case giveBack(UInt64)
    case doubtStream
  }

  private(set) var phase = Phase.unwanted
  var retry = Retry()
  /// When the lease was last requested.
  private var asked = Moment(time: 0, connection: 0)
  /// Since when others have held it, and the sequence of their last message.
  private var others: (since: Int64, last: UInt64?)?
  /// Whether a caller waits to learn that others hold it.
  let isAwaited: Bool

  private static let second: Int64 = 1_000_000_000
  /// The period of renewals and requests, in nanoseconds.
  private static let period = 3 * second
  /// How long it counts as held without a confirmation.
  private static let patience = 7 * second
  /// After how long an unrenewed lease has surely expired.
  static let longest = 12 * second

  init(isAwaited: Bool) { self.isAwaited = isAwaited }

  func isHeld(at now: Moment) -> Bool {
    guard case .held(_, let since) = phase else { return false }
    return now.time - since.time < Self.patience && now.connection == since.connection
  }

  /// The sequence of this process's last message, if known.
  private var own: UInt64? {
    switch phase {
    case .unwanted: nil
    case .wanted(let former): former
    case .held(let sequence, _): sequence
    }
  }

  mutating func start(_ now: Moment) -> [Step] {
    guard case .unwanted = phase else { return [] }
    phase = .wanted(former: nil)
    return ask(now)
  }

  /// Requests it at once on a new connection, because another server may hold it now.
  mutating func linkIsUp(_ now: Moment) -> [Step] {
    asked.connection == now.connection ? [] : ask(now)
  }

  mutating func timeIsUp(_ now: Moment) -> [Step] { ask(now) }

  mutating func stop() -> [Step] {
    retry.begin()
    defer { phase = .unwanted }
    guard case .held(let sequence, _) = phase else { return [] }
    return [.giveBack(sequence)]
  }

  private mutating func ask(_ now: Moment) -> [Step] {
    guard phase != .unwanted else { return [] }
    retry.begin()
    asked = now
    return [.findStream]
  }

  mutating func streamIsKnown(_ isThere: Bool, _ now: Moment) -> [Step] {
    guard phase != .unwanted else { return [] }
    return isThere ? [.publish(after: own ?? 0)] : wait(Self.second, now)
  }

  mutating func answered(_ answer: PublishAnswer, _ now: Moment) -> [Step] {
    guard phase != .unwanted else { return [] }
    switch answer {
    case .stored(let sequence):
      let wasHeld =
        if case .held(_, let since) = phase { since.connection == asked.connection } else { false }
      phase = .held(sequence: sequence, since: asked)
      others = nil
      let news: [Step] = wasHeld ? [] : [.notify(isHeld: true)]
      return news + wait(Self.period, now)
    case .preceded(let last): return [.findHolder(last: last)]
    case .full, .noStorage, .repeated, .unknown:
      return [Step.doubtStream] + wait(Self.second / 2, now)
    }
  }

  /// Who stored the last message.
  enum Holder: Equatable {
    case this(UInt64)
    case other
    case nobody
    case unknown
  }

  /// Handles the last message; `last` is its sequence, if NATS has reported that.
  mutating func found(_ holder: Holder, last: UInt64?, _ now: Moment) -> [Step] {
    guard phase != .unwanted else { return [] }
    switch holder {
    case .unknown: return wait(Self.second / 2, now)
    case .this(let sequence):
      // NATS stored this server's message without an answer.
      if case .held(_, let since) = phase {
        phase = .held(sequence: sequence, since: since)
      } else {
        phase = .wanted(former: sequence)
      }
      return ask(now)
    case .nobody, .other:
      let hadOwn = own != nil
      let steps = lose()
      phase = .wanted(former: nil)
      if holder == .nobody, hadOwn { return steps + ask(now) }
      let pause = isAwaited ? Self.second / 4 : Self.period
      return steps + wait(pause, now) + noteOthers(last, now.time)
    }
  }

  /// Reports that others hold the lease, once they have renewed it: the holder may have died.
  private mutating func noteOthers(_ last: UInt64?, _ now: Int64) -> [Step] {
    guard isAwaited else { return [] }
    let since = others?.since ?? now
    let isRenewed = if let last, let before = others?.last { last != before } else { false }
    others = (since, last)
    return isRenewed || now - since > Self.longest ? [.notifyElsewhere] : []
  }

  private mutating func wait(_ nanoseconds: Int64, _ now: Moment) -> [Step] {
    let steps = checkAge(now) + [Step.wait(nanoseconds: nanoseconds)]
    guard case .held(_, let since) = phase else { return steps }
    return steps + [Step.watchAge(nanoseconds: max(1, since.time + Self.patience - now.time))]
  }

  /// Loses the lease if it was not renewed for too long.
  mutating func checkAge(_ now: Moment) -> [Step] {
    guard case .held(_, let since) = phase, now.time - since.time >= Self.patience else {
      return []
    }
    return lose()
  }

  private mutating func lose() -> [Step] {
    guard case .held(let sequence, _) = phase else { return [] }
    phase = .wanted(former: sequence)
    return [.notify(isHeld: false)]
  }
}
