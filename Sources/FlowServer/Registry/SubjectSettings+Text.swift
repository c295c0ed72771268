internal import FlowWire

extension SubjectSettings {
  /// The settings as they stand in SUBJECT; what was left out is spelled out but for the stall.
  var text: String {
    let kind =
      switch kind {
      case .passthrough: "passthrough"
      case .current(let value):
        "current \(FrameWriter.oneLine(String(decoding: value, as: UTF8.self)))"
      case .replay(let count): "replay \(count)"
      }
    let stall = stall.map { " stall=\(Quantity.text(milliseconds: $0 / 1_000_000))" } ?? ""
    return "\(kind) flow=\(flow.rawValue)\(stall)"
  }
}
