// Signs, statements and other words of Swift and JavaScript.

extension ForeignWord {
  static let signs = operators + words + statements

  private static func sign(_ word: String, _ example: String, as other: String) -> ForeignWord {
    ForeignWord(word, .sign, "taps.map { \(example) }", .name(other))
  }

  private static let operators = [
    sign("===", "$0 === 1", as: "=="),
    sign("!==", "$0 !== 1", as: "!="),
    sign("<>", "$0 <> 1", as: "!="),
    sign("?:", "$0 ?: 1", as: "??"),
    sign("..", "(1..5).count", as: "..."),
    sign("&", "$0.a & $0.b", as: "&&"),
    ForeignWord(
      "**",
      .sign,
      "taps.map { $0 ** 2 }",
      .whole { "pow(\($0.base), \($0.argument(0, "y")))" }
    ),
    ForeignWord(
      "[...array]",
      .sign,
      "taps.map { [...$0, 1] }",
      .whole { $0.argument(0, "array") }
    ),
    ForeignWord("=>", .sign, "taps.map(x => x + 1)", .advice("write a closure as { x in … }")),
    ForeignWord("->", .sign, "taps.map { x -> x }", .advice("write a closure as { x in … }")),
  ]

  private static let words = [
    sign("and", "$0.a and $0.b", as: "&&"),
    sign("or", "$0.a or $0.b", as: "||"),
    sign("not", "not $0.a", as: "!"),
    sign("then", "$0.a then 1 : 2", as: "?"),
    sign("undefined", "$0 == undefined", as: "null"),
    sign("None", "$0 == None", as: "null"),
    sign("True", "$0 == True", as: "true"),
    sign("False", "$0 == False", as: "false"),
    sign("it", "it + 1", as: "$0"),
    sign("const", "const a = $0; a", as: "let"),
    sign("var", "var a = $0; a", as: "let"),
    sign("elif", "if $0 { 1 } elif $0 { 2 } else { 3 }", as: "else if"),
  ]

  private static func statement(_ word: String, _ advice: String) -> ForeignWord {
    ForeignWord(word, .sign, "taps.map { \(word) $0 }", .advice(advice))
  }

  private static let statements = [
    statement("throw", "use fail(\"text\"), which fails the stage"),
    statement("try", "any closure may fail"),
    statement("await", "use flatMap { ask(service, $0) }, which waits for an answer"),
    statement("async", "use flatMap { ask(service, $0) }, which waits for an answer"),
    statement("as", "values have no types"),
    statement("is", "values have no types; use if let a = …, which holds unless the value is null"),
    ForeignWord(
      "let",
      .sign,
      "let x = taps",
      .advice(
        "it is allowed at the beginning of a closure; name a pipeline with PIPELINE NAME = …"
      )
    ),
    ForeignWord(
      "return",
      .sign,
      "taps.map { $0 return 1 }",
      .advice("it is allowed only before the last expression of a closure")
    ),
    statement("for", "use map, filter or reduce"),
    statement("while", "use map, filter or reduce"),
    statement("repeat", "use map, filter or reduce"),
    statement("do", "use the operator catch { … }"),
    statement("defer", "closures have no side effects"),
    statement("guard", "use if … { } else { }"),
    statement("func", "write a closure where it is used"),
    statement("function", "write a closure as { value in … }"),
    statement("lambda", "write a closure as { value in … }"),
    statement("struct", "write an object as [\"key\": value]"),
    statement("class", "write an object as [\"key\": value]"),
    statement("enum", "write an object as [\"key\": value]"),
    statement("new", "write an object as [\"key\": value]"),
    statement("like", "use contains(text), hasPrefix(text) or hasSuffix(text)"),
    ForeignWord(
      "in",
      .sign,
      "taps.filter { $0 in [1, 2] }",
      .advice("use array.contains(value), or name parameters as { a, b in … }")
    ),
    statement("import", "everything is available without it"),
    statement("self", "use the name alone"),
    statement("inout", "values cannot be passed by reference"),
    statement("where", "use an if inside the case"),
  ]
}
