extension ValueCompiler {
  func array(
    _ elements: [Syntax],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let operands = try operands(elements, in: scope)
    let elements = operands.map(\.part)
    return try .computed(.array(of: operands.count), of: operands, at: range) {
      (locals) throws(EvaluationError) in
      try JSONArray.checked(Self.evaluate(elements, in: &locals))
    }
  }

  func interpolation(
    _ parts: [Syntax],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let operands = try operands(parts, in: scope)
    let parts = operands.map(\.part)
    return try .computed(.string, of: operands, at: range) { (locals) throws(EvaluationError) in
      var text = ""
      for part in parts {
        let value = try locals.spell(part(&locals))
        try locals.spend(1 + Price.writing(value))
        text += value.plainText
        guard text.utf8.count <= Extent.mostBytes else { throw .tooLarge }
      }
      return .string(text)
    }
  }

  func dictionary(
    _ pairs: [(key: Syntax, value: Syntax)],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    var keys: [Operand] = []
    for pair in pairs {
      keys.append(try operand(pair.key, for: "a key", needs: .string, in: scope))
    }
    let values = try operands(pairs.map(\.value), in: scope)
    let contents = zip(keys.map(MemberName.init), values.map(\.part)).map { $0 }
    return try .computed(.object, of: keys + values, at: range) {
      (locals) throws(EvaluationError) in
      var members: [JSONObject.Member] = []
      members.reserveCapacity(contents.count)
      for (name, value) in contents {
        let key = try name.key(&locals)
        members.append(JSONObject.Member(name: key, value: try value(&locals)))
      }
      return try JSONObject.checked(members)
    }
  }

  /// The key of a member: made once if it is a literal.
  private enum MemberName {
    case known(Key)
    case computed(Evaluation)

    init(_ operand: Operand) {
      if case .constant(.string(let text)) = operand.form {
        self = .known(Key(text))
      } else {
        self = .computed(operand.decoded)
      }
    }

    func key(_ locals: inout Locals) throws(EvaluationError) -> Key {
      switch self {
      case .known(let key): return key
      case .computed(let evaluation):
        let value = try evaluation(&locals)
        guard case .string(let text) = value else {
          throw .fault("a key needs a String, not \(value.kind)")
        }
        return Key(text)
      }
    }
  }
}
