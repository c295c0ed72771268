extension Closure {
  /// The closure with one parameter where it has several and is given one array, as behind a
  /// `zip`: they are its elements, as in Swift they are those of a tuple.
  func spread(over kinds: [Kinds]) -> Closure {
    guard kinds == [.array] else { return self }
    let names = parameters ?? body.ownParameters
    guard names.count > 1 else { return self }
    let whole = names.map { "_" + $0 }.joined()
    let range = body.result.range
    let lets = names.enumerated().map { place, name in
      let base = Syntax(kind: .name(whole), range: range, height: 1)
      let index = Syntax(kind: .literal(.int(place)), range: range, height: 1)
      return (name: name, value: Syntax(kind: .element(base, index), range: range, height: 2))
    }
    return Closure(
      parameters: [whole],
      body: Block(lets: lets + body.lets, result: body.result, isBraced: body.isBraced)
    )
  }
}

extension Block {
  /// `$0` and those behind it up to the last that the block itself mentions.
  fileprivate var ownParameters: [String] {
    guard let last = children.compactMap(\.lastParameter).max() else { return [] }
    return (0...last).map { "$\($0)" }
  }
}

extension Syntax {
  /// The highest number of a parameter, but for those in closures.
  fileprivate var lastParameter: Int? {
    switch kind {
    case .parameter(let index): index
    case .closure: nil
    default: children.compactMap(\.lastParameter).max()
    }
  }
}
