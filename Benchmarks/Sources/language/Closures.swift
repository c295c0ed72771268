import FlowLanguage
import Measure

/// One evaluation of a closure, of a value that is decoded already.
func closures() throws(Diagnostic) -> [Row] {
  let five = try object(#"{"id":7,"name":"tea","price":12.5,"quantity":3,"open":true}"#)
  return [
    try row("$0", of: .int(1)),
    try row("$0*2+1", of: .int(20)),
    try row("$0 % 2 == 0", of: .int(20)),
    try row("$0.price > 10", of: five),
    try row("$0.price * $0.quantity", of: five),
    try row(#"$0.open && $0.name == "tea""#, of: five),
    try row(#"switch $0.quantity { case 1: "one" case 2...9: "few" default: "many" }"#, of: five),
    try row(#"["id": $0.id, "sum": $0.price * 2]"#, of: five),
    try row(#""\($0.name): \($0.quantity)""#, of: five),
    try row("$0.name.uppercased()", of: five),
    try row("[1, 2, 3, 4].map { $0 * 2 }.count", of: .null),
  ]
}

private func row(_ body: String, of value: Value) throws(Diagnostic) -> Row {
  let closure = try ValueClosure("{ \(body) }")
  return Row(body) { count in
    var sum = 0
    for _ in 0..<count {
      switch try? closure(value) {
      case .int(let number): sum &+= number
      case .bool(true): sum &+= 1
      case .double(let number): sum &+= Int(number)
      case nil: fatalError("\(body) fails")
      default: sum &+= 3
      }
    }
    return sum
  }
}

/// A value that is decoded.
private func object(_ text: String) throws(Diagnostic) -> Value {
  let decode = try ValueClosure("{ let looked = $0 == 0; $0 }")
  let value = Array(text.utf8).withUnsafeBytes { Value(bytes: $0) }
  guard let decoded = try? decode(value), case .object = decoded else {
    fatalError("\(text) is no object")
  }
  return decoded
}
