internal import FlowCore
internal import FlowLanguage

/// What the tape has of one stage.
final class TapeLane: StageLane {
  let stage: StageDescription
  var subscriptions = RecordedSubscriptions()
  /// The stage that it is below, and in which branch.
  let owner: (lane: Int, branch: Int)?
  private(set) var out: [(tick: Int, text: String)] = []
  private(set) var dropped: [(tick: Int, text: String)] = []
  private(set) var states: [State] = []
  /// Whether there was more than the tape has.
  private(set) var isCut = false
  private unowned let recorder: TapeRecorder

  /// What there is inside at the end of a tick.
  struct State: Equatable {
    let tick: Int
    let held: Int
    let publishers: Int
    /// `Int.max` is no limit.
    let asked: Int
  }

  init(_ stage: StageDescription, in owner: (Int, Int)?, _ recorder: TapeRecorder) {
    self.stage = stage
    self.owner = owner
    self.recorder = recorder
  }

  func step() -> Bool { recorder.step() }

  func sends(_ value: Value) {
    guard hasRoom else { return }
    out.append((recorder.now, Self.text(of: value, recorder.mostCharacters)))
  }

  func drops(_ count: Int, _ reason: DropReason, _ value: Value?) {
    let isSent = reason == .noDemand && count == 1
    let text = (value ?? (isSent ? sending : nil)).map {
      Self.text(of: $0, recorder.mostCharacters)
    }
    for _ in 0..<count {
      guard hasRoom else { return }
      dropped.append((recorder.now, text ?? reason.rawValue))
    }
  }

  /// What is being sent, if this is a subject.
  private var sending: Value? { stage.isSubject ? recorder.sending : nil }

  func reads(
    _ make: () -> AnyPublisher<Value, PipelineFailure>
  ) -> AnyPublisher<Value, PipelineFailure> {
    recorder.read(for: self, make)
  }

  private var hasRoom: Bool {
    if out.count + dropped.count < recorder.mostEvents { return true }
    isCut = true
    return false
  }

  func record(held: Int, publishers: Int, asked: Int, at tick: Int) {
    if let last = states.last, (last.held, last.publishers, last.asked) == (held, publishers, asked)
    {
      return
    }
    states.append(State(tick: tick, held: held, publishers: publishers, asked: asked))
  }

  /// A value as a marble has it, cut short.
  static func text(of value: Value, _ most: Int) -> String {
    let isShort = unsafe value.withBytes { $0.count <= 1_024 }
    let text: String
    if isShort, case .value(let marble) = Marble(value) {
      text = marble
    } else {
      text = unsafe value.withBytes { bytes in
        unsafe String(decoding: bytes.prefix(4 * most + 4), as: UTF8.self)
      }
    }
    return text.cut(to: most)
  }
}

extension StageDescription {
  /// Whether it reads a subject.
  var isSubject: Bool { name == nil && branches.isEmpty }
}

extension String {
  /// The beginning, of so many characters at most.
  func cut(to most: Int) -> String {
    guard let end = index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex else {
      return self
    }
    return prefix(most - 1) + "…"
  }
}
