/// A node of the tree of a pipeline's text.
struct Syntax {
  indirect enum Kind {
    case literal(Value)
    case interpolation([Syntax])
    case name(String)
    case parameter(Int)
    case array([Syntax])
    case dictionary([(key: Syntax, value: Syntax)])
    case member(Syntax, Identifier)
    case implicitMember(Identifier)
    case call(Syntax, [Argument])
    case element(Syntax, Syntax)
    case prefix(String, Syntax)
    case infix(String, Syntax, Syntax)
    case choice(Syntax, Block, Block)
    case selection(Selection)
    case closure(Closure)
    /// Where it leads to; `\.self` leads nowhere else.
    case keyPath([PathStep])
    /// What stands between the slashes of a regular expression.
    case pattern(String)
    /// The brackets of a call that could not be read, with the mistake inside of them.
    case unread(Diagnostic)
  }

  let kind: Kind
  let range: Range<Int>
  /// How many nodes the longest way down has.
  let height: Int
}

/// A name and where it stands.
struct Identifier {
  let text: String
  let range: Range<Int>
}

/// An argument of a call; one closure may trail.
struct Argument {
  let label: String?
  let value: Syntax
  let range: Range<Int>
}

/// `let` lines and the expression they are for.
struct Block {
  let lets: [(name: String, value: Syntax)]
  let result: Syntax
  /// Whether it stands in braces; one between the signs of `? :` does not.
  var isBraced = false

  var children: [Syntax] { lets.map(\.value) + [result] }
}

/// `{ a, b in … }` or `{ $0 … }`.
struct Closure {
  let parameters: [String]?
  let body: Block
}

/// A `switch`: what it looks at, and what it makes of it.
struct Selection {
  struct Case {
    let patterns: [Pattern]
    let body: Block
  }

  let subject: Syntax
  let cases: [Case]
  let otherwise: Block
}

/// What a case of a `switch` is for.
struct Pattern {
  enum Form {
    case value(Value)
    /// At least one of the bounds is there.
    case range(low: Value?, high: Value?, isClosed: Bool)
  }

  let form: Form
  let range: Range<Int>
}
