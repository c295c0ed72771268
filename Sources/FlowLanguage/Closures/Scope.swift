/// Names that can be used where an expression stands, innermost last.
struct Scope {
  /// What is known of the value with one number of the locals.
  struct Entry {
    let name: String
    var kinds = Kinds.any
    /// Whether its members are asked for so often that all of it is decoded at once.
    var isOftenRead = false
  }

  private(set) var entries: [Entry] = []
  /// The parameters and `let` names that stand for publishers.
  private(set) var publishers: [String: Compiled] = [:]
  /// The `let` names that stand for regular expressions, with these.
  private var patterns: [String: Syntax] = [:]
  /// Whether what is compiled stands below a stage.
  private(set) var isBelow = false
  /// What `$name` stands for.
  private(set) var nameOfSource = NameOfSource.none

  /// The name of each number of the locals; parameters without a name are `$0`, `$1`, ….
  var names: [String] { entries.map(\.name) }

  func number(of name: String) -> Int? { entries.lastIndex { $0.name == name } }

  func adding(_ new: [String]) -> Scope { adding(new.map { Entry(name: $0) }) }

  func adding(_ new: [Entry]) -> Scope {
    var scope = self
    for entry in new where !patterns.isEmpty { scope.patterns[entry.name] = nil }
    scope.entries += new
    return scope
  }

  /// With a name that stands for a publisher, and no more for a value.
  func adding(_ name: String, as publisher: Compiled) -> Scope {
    var scope = withoutValue(name)
    scope.publishers[name] = publisher
    return scope
  }

  /// With a name that stands for a regular expression, and no more for a value.
  func adding(_ name: String, asPattern pattern: Syntax) -> Scope {
    var scope = withoutValue(name)
    scope.patterns[name] = pattern
    return scope
  }

  private func withoutValue(_ name: String) -> Scope {
    var scope = self
    scope.entries = entries.map { $0.name == name ? Entry(name: "") : $0 }
    scope.patterns[name] = nil
    return scope
  }

  /// The regular expression that a name stands for.
  func pattern(of name: String) -> Syntax? { patterns[name] }

  /// The same, below a stage.
  var below: Scope {
    var scope = self
    scope.isBelow = true
    return scope
  }

  /// The same, for a stage whose closures know this name.
  func naming(_ nameOfSource: NameOfSource) -> Scope {
    var scope = self
    scope.nameOfSource = nameOfSource
    return scope
  }

  /// Whether nothing around depends on a value, its name, or on a publisher that is a parameter.
  var isOutermost: Bool { entries.isEmpty && publishers.isEmpty && !nameOfSource.varies }

  /// With the parameters of a closure whose body is `body`.
  func adding(_ parameters: [String], of kinds: [Kinds], in body: Block) -> Scope {
    adding(
      zip(parameters, kinds).map { name, kinds in
        // Up to so many times a scan costs less than making all the values.
        Entry(name: name, kinds: kinds, isOftenRead: body.mentions(of: name) > 3)
      }
    )
  }
}
