internal import FlowSubjects

extension Figures {
  /// Those of the values that wait in a subject's backend.
  static let backendRoom: FigureTable<BackendFigures> = [
    Figure(field: "room", member: "room") { $0.room.map(Amount.count) },
    Figure(field: "used", member: "used") { $0.used.map(Amount.count) },
    Figure(field: "slowest") { $0.stored > 0 ? ($0.slowest?.place).map(Amount.text) : nil },
  ]

  /// Those of the values that a subject's backend did not give to readers.
  static let backendLosses: FigureTable<BackendFigures> = [
    Figure(field: "left-out") { $0.leftOut.unlessZero.map(Amount.count) },
    Figure(field: "gaps") { $0.gaps.unlessZero.map(Amount.count) },
  ]
}
