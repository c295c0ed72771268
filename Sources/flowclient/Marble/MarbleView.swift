import FlowCore
import FlowRemote
import FlowTransport
import FlowWire
import Synchronization

/// The state of the connection, for the picture.
final class MarbleConnection: Sendable {
  private let state = Mutex<FlowRemote.State>(.connected)

  func changed(_ new: FlowRemote.State) { state.withLock { $0 = new } }

  /// The problem of the connection; `nil` if it is open.
  var trouble: String? {
    switch state.withLock({ $0 }) {
    case .connected: nil
    case .reconnecting(let error, _): "reconnecting: \(error.text)"
    case .closed(let error): "closed: \(error.text)"
    }
  }

  /// Why the connection is closed for good, if it is.
  var end: RemoteError? {
    if case .closed(let error) = state.withLock({ $0 }) { error } else { nil }
  }
}

/// The tapped names, their figures and pictures.
final class MarbleView: Sendable {
  let start: UInt64
  private let request: MarbleRequest
  private let names: MarbleNames
  private let session: ClientSession
  private let connection: MarbleConnection
  private let remote: FlowRemote
  private let taps: [(watch: LaneWatch, subscription: RemoteSubscription)]
  private let shown = Mutex((stages: [Row](), isAsking: false, steps: 0))
  /// The number of steps between two SHOWs.
  private static let pause = 5
  /// The interval of a column in the lanes of one second, in nanoseconds.
  private static let piece: UInt64 = 25_000_000

  init(
    _ request: MarbleRequest,
    _ names: MarbleNames,
    _ session: ClientSession,
    _ connection: MarbleConnection,
    _ remote: FlowRemote,
    _ taps: [(LaneWatch, RemoteSubscription)],
    _ start: UInt64
  ) {
    self.request = request
    self.names = names
    self.session = session
    self.connection = connection
    self.remote = remote
    self.taps = taps
    self.start = start
  }

  /// Requests values until the next step, and in some steps the figures.
  func step() {
    for (watch, subscription) in taps {
      let more = watch.nextDemand()
      if more > 0 { subscription.request(.max(more)) }
    }
    let asks = shown.withLock { shown in
      shown.steps += 1
      guard !shown.isAsking, shown.steps % Self.pause == 1, !names.isSubject else { return false }
      shown.isAsking = true
      return true
    }
    guard asks else { return }
    remote.command(.show(request.name)) { [self] answer in
      shown.withLock { shown in
        shown.isAsking = false
        if case .success(let answer) = answer {
          shown.stages = answer.rows.map { Row($0) }.filter { $0.kind == .stage }
        }
      }
    }
  }

  var picture: MarblePicture {
    let dot = request.isASCII ? "-" : "·"
    let title = ["marble \(names.name)", session.server, "0.1 s a column"]
    var picture = MarblePicture(title: title.joined(separator: " \(dot) "))
    picture.lanes = taps.map(\.watch.lane)
    picture.stages = shown.withLock { $0.stages }
    picture.trouble = connection.trouble
    picture.isASCII = request.isASCII
    if names.expression == nil, !names.isSubject {
      picture.note = "what it reads cannot be told: only its output is shown"
    }
    return picture
  }

  /// Returns the lanes of the second before `end`, for a file or a pipe.
  func second(before end: UInt64) -> String {
    let lanes = taps.map(\.watch.lane)
    let wide = LaneDrawing(width: 160, isASCII: request.isASCII, column: Self.piece)
    let drawing = LaneDrawing(
      width: wide.labelWidth(lanes.map(\.label)) + 41,
      isASCII: request.isASCII,
      column: Self.piece
    )
    let time = "\((end - start) / 1_000_000_000)s"
    let lines = drawing.lines(lanes, from: start, to: end - 1)
    return lines.map { "\(time) \($0)\n" }.joined()
  }

  /// Returns all lanes from the start, and the figures.
  func whole(columns: Int, column: UInt64) -> String {
    let lanes = taps.map(\.watch.lane)
    let drawing = LaneDrawing(width: columns, isASCII: request.isASCII, column: column)
    let lines = drawing.lines(lanes, from: start, to: session.platform.monotonicNanoseconds)
    return lines.map { "\($0)\n" }.joined()
      + shown.withLock { StageTable.lines($0.stages, width: columns, isASCII: request.isASCII) }
      .map { "\($0)\n" }.joined()
  }
}
