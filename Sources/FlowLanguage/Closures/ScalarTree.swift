/// What a closure makes of numbers, truths and members, where it needs no other values for it.
indirect enum ScalarTree {
  case constant(Scalar)
  /// What the locals has under a number.
  case slot(Int)
  /// What a path leads to from the value that the locals has under a number.
  case member(MemberPath, of: Int)
  case binary(ScalarSteps.Operation, ScalarTree, ScalarTree)
  case negation(ScalarTree)
  case not(ScalarTree)
  /// `&&`, or `||` if `decisive`: what decides without the second.
  case logic(decisive: Bool, ScalarTree, ScalarTree)
  case choice(ScalarTree, ScalarTree, ScalarTree)
  /// Whether what a path leads to is a text.
  case isText(String, MemberPath, of: Int)

  /// Whether all that comes of it is computed: what is only handed on keeps its spelling.
  var isComputed: Bool {
    switch self {
    case .slot, .member: false
    case .choice(_, let first, let second): first.isComputed && second.isComputed
    case .constant, .binary, .negation, .not, .logic, .isText: true
    }
  }
}

extension ScalarTree {
  /// The tree of `sign` between two operands, if there is one.
  init?<S: BinaryOperator>(_ sign: S.Type, _ left: Operand, _ right: Operand) {
    if S.step == .equal || S.step == .notEqual {
      for (text, other) in [(left, right), (right, left)] {
        guard case .constant(.string(let text)) = text.form else { continue }
        guard case .member(let path, let number) = other.form else { return nil }
        let isText = ScalarTree.isText(text, path, of: number)
        self = S.step == .equal ? isText : .not(isText)
        return
      }
    }
    guard let first = left.scalars, let second = right.scalars else { return nil }
    self = .binary(S.step, first, second)
  }
}

extension Operand {
  /// How it is made of scalars, if it may be.
  var scalars: ScalarTree? {
    switch form {
    case .constant(let value): Scalar(value).map(ScalarTree.constant)
    case .slot(let number): .slot(number)
    case .member(let path, let number): .member(path, of: number)
    case .computed: tree
    }
  }
}
