internal import FlowLanguage
internal import FlowWire

extension Watch {
  /// The rows of WATCH: the topology, unless `known` is its number, and a sample.
  ///
  /// Each is made when its first row is requested.
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

/// Splits JSON into rows.
enum RowText {
  /// Well below the 64 KiB of a line.
  private static let longest = 16 << 10

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
        // A row would replace the character.
        piece += scalar.jsonEscape
      } else {
        piece.unicodeScalars.append(scalar)
      }
    }
    return pieces + [piece]
  }
}
