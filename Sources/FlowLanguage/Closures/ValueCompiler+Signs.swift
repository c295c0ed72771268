extension ValueCompiler {
  func prefix(
    _ sign: String,
    _ operand: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation {
    let operand = try decoded(operand, in: scope)
    if sign == "!" {
      return { (frame) throws(Trouble) in
        .bool(try !Arithmetic.truth(operand(&frame), "\"!\""))
      }
    }
    return { (frame) throws(Trouble) in try Arithmetic.negate(operand(&frame)) }
  }

  func infix(
    _ sign: String,
    _ left: Syntax,
    _ right: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation {
    let range = left.range.lowerBound..<right.range.upperBound
    let left = try decoded(left, in: scope)
    let right = try decoded(right, in: scope)
    switch sign {
    case "&&":
      return { (frame) throws(Trouble) in
        guard try Arithmetic.truth(left(&frame), "\"&&\"") else { return .bool(false) }
        return .bool(try Arithmetic.truth(right(&frame), "\"&&\""))
      }
    case "||":
      return { (frame) throws(Trouble) in
        if try Arithmetic.truth(left(&frame), "\"||\"") { return .bool(true) }
        return .bool(try Arithmetic.truth(right(&frame), "\"||\""))
      }
    case "??":
      return { (frame) throws(Trouble) in
        let value = try left(&frame)
        if case .null = value { return try right(&frame) }
        return value
      }
    default:
      guard let operation = Arithmetic.operation(sign) else {
        throw Diagnostic("there is no operator \"\(sign)\"", at: range)
      }
      return { (frame) throws(Trouble) in
        let first = try left(&frame)
        return try operation(first, right(&frame))
      }
    }
  }

  func choice(
    _ condition: Syntax,
    _ yes: Block,
    _ no: Block,
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation {
    let condition = try decoded(condition, in: scope)
    let yes = try block(yes, in: scope)
    let no = try block(no, in: scope)
    return { (frame) throws(Trouble) in
      try Arithmetic.truth(condition(&frame), "a condition") ? yes(&frame) : no(&frame)
    }
  }
}
