extension Closure {
  /// The closure with one parameter where it has several and is given one array, as behind a
  /// `zip`: they are its elements, as in Swift they are those of a tuple.
  ///
  /// Where it is known how many elements there are, they have as many names.
  func spread(over kinds: [Kinds], at place: Range<Int>) throws(Diagnostic) -> Closure {
    guard kinds.count == 1, !kinds[0].isEmpty, Kinds.array.isSuperset(of: kinds[0]) else {
      return self
    }
    var names = parameters ?? body.ownParameters
    guard names.count > 1 else { return self }
    if let width = kinds[0].width, width != names.count {
      guard parameters == nil else {
        let given =
          width == 1 ? "1 element" : "\(width) elements and has 1 parameter or \(width)"
        throw Diagnostic(
          "the closure gets an array of \(given), not \(names.count)",
          at: place
        )
      }
      names = Array(names.prefix(width))
    }
    return spread(over: names) { whole, place in
      .element(whole, Syntax(kind: .literal(.int(place)), range: whole.range, height: 1))
    }
  }

  /// The closure with one parameter where it has two and is given a numbered element.
  func spreadOverNumbered(at place: Range<Int>) throws(Diagnostic) -> Closure {
    let names = parameters ?? body.ownParameters
    guard names.count > 1 else { return self }
    guard names.count == 2 else {
      throw Diagnostic(
        "the closure gets an offset and an element and has 1 parameter or 2, not \(names.count)",
        at: place
      )
    }
    return spread(over: names) { whole, place in
      let name = Identifier(text: place == 0 ? "offset" : "element", range: whole.range)
      return .member(whole, name)
    }
  }

  /// The closure with one parameter, of which `part` makes what the names stand for.
  private func spread(over names: [String], _ part: (Syntax, Int) -> Syntax.Kind) -> Closure {
    let whole = names.map { "_" + $0 }.joined()
    let range = body.result.range
    let lets = names.enumerated().map { place, name in
      let base = Syntax(kind: .name(whole), range: range, height: 1)
      return (name: name, value: Syntax(kind: part(base, place), range: range, height: 2))
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
