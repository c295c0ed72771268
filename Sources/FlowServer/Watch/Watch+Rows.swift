internal import FlowLanguage
internal import FlowWire

extension Watch {
  /// What WATCH answers, in rows: what there is, unless `known` says that it is known, and how it does.
  ///
  /// Each of the two is made when the first of its rows is asked for.
  func rows(_ query: WatchQuery, known: Int?, rights: @escaping () -> Access) -> Report.Rows {
    let sample = pieces(.sample, query, rights) { $0.sample(tellsAll: true) }
    if let known, known == report(query, for: rights()).changes { return sample }
    return Report.chain(pieces(.topology, query, rights) { $0.topology }, sample)
  }

  private func pieces(
    _ kind: Row.Kind,
    _ query: WatchQuery,
    _ rights: @escaping () -> Access,
    _ make: @escaping (WatchReport) -> Value
  ) -> Report.Rows {
    var pieces: ArraySlice<String>?
    return { [unowned self] in
      var rest = pieces ?? RowText.pieces(of: make(report(query, for: rights())))[...]
      defer { pieces = rest }
      return rest.popFirst().map { "\(Row(kind, text: $0))" }
    }
  }
}

/// JSON as rows carry it.
enum RowText {
  /// A line has at most 64 KiB.
  private static let longest = 16 << 10

  /// The text of a value, cut where it is too long for a row.
  static func pieces(of value: Value) -> [String] {
    var pieces: [String] = []
    var piece = ""
    let text = unsafe value.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    for scalar in text.unicodeScalars {
      if piece.utf8.count >= longest, scalar != " " {
        pieces.append(piece)
        piece = ""
      }
      if scalar.isUnseen {
        // A row would show it as no JSON does.
        for unit in String(scalar).utf16 { piece += escape(unit) }
      } else {
        piece.unicodeScalars.append(scalar)
      }
    }
    return pieces + [piece]
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
