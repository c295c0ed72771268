/// Writes compact JSON.
struct JSONWriter {
  private(set) var octets: [UInt8] = []

  mutating func write(_ value: Value) {
    switch value {
    case .null: octets += "null".utf8
    case .bool(let flag): octets += (flag ? "true" : "false").utf8
    case .int(let number): octets += String(number).utf8
    case .double(let number): octets += (number.isFinite ? String(number) : "null").utf8
    case .string(let text): write(text)
    case .array(let elements): write(elements)
    case .object(let object): write(object)
    case .raw(let raw):
      // Inside another value even a bare word has to be JSON.
      if raw.withUnsafeBufferPointer({ JSONReader.read($0) }) != nil {
        octets += raw
      } else {
        write(value.decoded)
      }
    }
  }

  private mutating func write(_ elements: [Value]) {
    octets.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { octets.append(UInt8(ascii: ",")) }
      write(element)
    }
    octets.append(UInt8(ascii: "]"))
  }

  private mutating func write(_ object: JSONObject) {
    octets.append(UInt8(ascii: "{"))
    for (index, member) in object.members.enumerated() {
      if index > 0 { octets.append(UInt8(ascii: ",")) }
      write(member.key)
      octets.append(UInt8(ascii: ":"))
      write(member.value)
    }
    octets.append(UInt8(ascii: "}"))
  }

  private mutating func write(_ text: String) {
    octets.append(UInt8(ascii: "\""))
    for unit in text.utf8 {
      switch unit {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): octets += [UInt8(ascii: "\\"), unit]
      case 0x0A: octets += "\\n".utf8
      case 0x0D: octets += "\\r".utf8
      case 0x09: octets += "\\t".utf8
      case 0..<0x20:
        octets += (unit < 16 ? "\\u000" : "\\u00").utf8
        octets += String(unit, radix: 16).utf8
      default: octets.append(unit)
      }
    }
    octets.append(UInt8(ascii: "\""))
  }
}
