@testable import FlowLanguage

extension Syntax {
  /// What the tree is made of, without the places in the text.
  var outline: String {
    switch kind {
    case .literal(.string(let text)): "text(\(Array(text.unicodeScalars.map(\.value))))"
    case .literal(let value): "\(value)"
    case .name(let name): "name(\(name))"
    case .parameter(let index): "$\(index)"
    case .implicitMember(let name): "implicit(\(name.text))"
    case .keyPath(let path): "path(\(path))"
    case .pattern(let pattern): "pattern(\(pattern))"
    case .unread(let mistake): "unread(\(mistake.text))"
    case .member(_, let name): "member(\(name.text))" + below
    case .prefix(let sign, _), .infix(let sign, _, _): "sign(\(sign))" + below
    case .call(_, let arguments): "call(\(arguments.map { $0.label ?? "_" }))" + below
    case .interpolation: "interpolation" + below
    case .array: "array" + below
    case .dictionary: "dictionary" + below
    case .element: "element" + below
    case .choice(_, let yes, let no):
      "choice(\(yes.isBraced), \(yes.names), \(no.isBraced), \(no.names))" + below
    case .selection(let selection): "switch(\(selection.outline))" + below
    case .closure(let closure):
      "closure(\(closure.parameters ?? ["-"]), \(closure.body.names))" + below
    }
  }

  private var below: String { "[" + children.map(\.outline).joined(separator: " ") + "]" }
}

extension Block {
  fileprivate var names: [String] { lets.map(\.name) }
}

extension Selection {
  fileprivate var outline: String {
    cases.map { one in
      "\(one.patterns.map { "\($0.form)" }) \(one.body.names)"
    }.joined() + "\(otherwise.names)"
  }
}
