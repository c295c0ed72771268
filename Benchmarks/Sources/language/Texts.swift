import FlowLanguage
import Measure

/// An order of 200 bytes.
let order = Array(
  #"""
  {"id":184467,"customer":"c-0042","item":"first flush darjeeling","price":12.5,"quantity":3,\#
  "open":true,"note":null,"tags":["tea","loose","organic"],"address":{"city":"Lübeck",\#
  "zip":"23552","no":12}}
  """#.utf8
)

/// JSON text to values and back.
func texts() throws(Diagnostic) -> [Row] {
  let decode = try ValueClosure("{ let looked = $0 == 0; $0 }")
  let member = try ValueClosure("{ $0.id }")
  return [
    Row("text of \(order.count) bytes, a member") { count in
      var sum = 0
      for _ in 0..<count {
        let value = order.withUnsafeBytes { Value(bytes: $0) }
        if case .int(let number)? = try? member(value) { sum &+= number }
      }
      return sum
    }.rated(bytes: order.count),
    Row("text of \(order.count) bytes to value") { count in
      var sum = 0
      for _ in 0..<count {
        let value = order.withUnsafeBytes { Value(bytes: $0) }
        if case .object(let object) = value.decoded { sum &+= object.members.count }
      }
      return sum
    }.rated(bytes: order.count),
    Row("text of \(order.count) bytes to value and back") { count in
      var sum = 0
      for _ in 0..<count {
        let value = order.withUnsafeBytes { Value(bytes: $0) }
        sum &+= value.decoded.withBytes(\.count)
      }
      return sum
    }.rated(bytes: order.count),
    Row("text of \(order.count) bytes to value and back, in a closure") { count in
      var sum = 0
      for _ in 0..<count {
        let value = order.withUnsafeBytes { Value(bytes: $0) }
        sum &+= (try? decode(value))?.withBytes(\.count) ?? 0
      }
      return sum
    }.rated(bytes: order.count),
  ]
}
