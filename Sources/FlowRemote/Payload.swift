internal import FlowWire
internal import FoundationEssentials

/// Values as payloads and back: JSON, by Foundation's coders.
///
/// As in the pipeline language, a payload that is not JSON is a text: for `String` such a payload is
/// taken as it is, which is what a person sends from netcat.
enum Payload {
  private static let decoder = JSONDecoder()
  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    // The same value is always the same bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }()

  static func decode<Value: Decodable>(
    _ type: Value.Type,
    from payload: UnsafeRawBufferPointer
  ) throws(RemoteError) -> Value {
    do {
      return unsafe try decoder.decode(type, from: Data(payload))
    } catch {
      if type == String.self, let text = unsafe String(validating: payload, as: UTF8.self) as? Value
      {
        return text
      }
      throw unsafe .undecodable(payload: shortened(payload), reason: reason(error))
    }
  }

  static func encode(_ value: some Encodable) throws(RemoteError) -> [UInt8] {
    do {
      return [UInt8](try encoder.encode(value))
    } catch {
      throw .unencodable(reason: reason(error))
    }
  }

  /// The beginning of a payload, on one line.
  static func shortened(_ payload: UnsafeRawBufferPointer) -> String {
    let text = unsafe String(decoding: payload.prefix(61), as: UTF8.self).debugDescription
    return payload.count > 61 ? "\(text)… (\(payload.count) bytes)" : text
  }

  /// What a coder says, with the place in the value.
  static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\(place(context.codingPath))key \"\(key.stringValue)\" is missing"
    case DecodingError.typeMismatch(let type, let context),
      DecodingError.valueNotFound(let type, let context):
      "\(place(context.codingPath))expected \(type)"
    case DecodingError.dataCorrupted(let context): place(context.codingPath) + "not JSON"
    case EncodingError.invalidValue(let value, let context):
      "\(place(context.codingPath))cannot encode \(value)"
    default: "\(error)"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "" : "at \(path.map(\.stringValue).joined(separator: ".")): "
  }
}
