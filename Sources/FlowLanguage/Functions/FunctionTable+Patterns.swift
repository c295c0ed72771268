extension FunctionTable {
  static let patterns: [FunctionEntry] = [
    method(
      "contains",
      "(/…/)",
      of: .string,
      takes: [.pattern()],
      "Whether the regular expression matches somewhere.",
      #""order 66".contains(/\d+/)"#,
      "true",
      gives: .bool,
      .pattern(Matches.contains)
    ),
    method(
      "firstMatch",
      "(of: /…/)",
      of: .string,
      takes: [.pattern(label: "of")],
      "The first match: its text and those of the groups; by name if one has a name; or null.",
      #""a=1, b=2".firstMatch(of: /(\w)=(\d)/)"#,
      #"["a=1","a","1"]"#,
      gives: [.array, .object, .null],
      does: .pieces,
      .pattern(Matches.first)
    ),
    method(
      "wholeMatch",
      "(of: /…/)",
      of: .string,
      takes: [.pattern(label: "of")],
      "Like firstMatch, if all of the text matches.",
      #""3:45".wholeMatch(of: /(?<m>\d+):(?<s>\d\d)/)"#,
      #"{"0":"3:45","m":"3","s":"45"}"#,
      gives: [.array, .object, .null],
      does: .pieces,
      .pattern(Matches.whole)
    ),
    method(
      "matches",
      "(of: /…/)",
      of: .string,
      takes: [.pattern(label: "of")],
      "The texts that match; if there are groups, what firstMatch gives for each.",
      #""a=1, b=22".matches(of: /\d+/)"#,
      #"["1","22"]"#,
      gives: .array,
      does: .pieces,
      .pattern(Matches.all)
    ),
    method(
      "replacing",
      "(/…/, with: text)",
      of: .string,
      takes: [.pattern(), .value(.string, label: "with")],
      "The text with every match replaced; written out, $1 or ${name} is what that group matched, $$ a $.",
      #""Ada Byron".replacing(/(\w+) (\w+)/, with: "$2, $1")"#,
      #""Byron, Ada""#,
      gives: .string,
      does: .pieces,
      .replacement(Matches.replacing)
    ),
    method(
      "replacing",
      "(/…/) { match in … }",
      of: .string,
      takes: [.pattern(), .closure(1, makes: .string)],
      "The text with every match replaced by what the closure makes of it.",
      #""Ada Byron".replacing(/(\w+) (\w+)/) { "\($0.2), \($0.1)" }"#,
      #""Byron, Ada""#,
      gives: .string,
      does: .pieces,
      .rewriting(Matches.replacing)
    ),
    method(
      "split",
      "(separator: /…/)",
      of: .string,
      takes: [.pattern(label: "separator")],
      "The parts between the matches, without empty ones.",
      #""a, b;c".split(separator: /[,;]\s*/)"#,
      #"["a","b","c"]"#,
      gives: .array,
      does: .pieces,
      .pattern(Matches.split)
    ),
  ]
}
