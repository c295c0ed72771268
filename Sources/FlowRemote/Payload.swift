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
    let data = unsafe Data(payload)
    do {
      return try decoder.decode(type, from: data)
    } catch {
      if type == String.self, let text = unsafe String(validating: payload, as: UTF8.self) as? Value
      {
        return text
      }
      throw unsafe .undecodable(
        payload: shortened(payload),
        reason: misfit(error, type, data) ?? reason(error)
      )
    }
  }

  /// Describes a payload that Foundation calls corrupted without saying where: one that is no JSON, or
  /// a JSON number that does not fit `type`.
  private static func misfit<Value>(_ error: any Error, _ type: Value.Type, _ data: Data) -> String?
  {
    guard case DecodingError.dataCorrupted(let context) = error, context.codingPath.isEmpty else {
      return nil
    }
    guard (try? decoder.decode(AnyJSON.self, from: data)) != nil else { return "not JSON" }
    let name = "\(type)"
    return "not \("AEIO".contains(name.prefix(1)) ? "an" : "a") \(name)"
  }

  /// Decodes any JSON.
  private struct AnyJSON: Decodable {
    init(from decoder: any Decoder) {}
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

  /// Returns a coder's reason, with the place in the value.
  static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\(place(context.codingPath))key \"\(key.stringValue)\" is missing"
    case DecodingError.typeMismatch(let type, let context),
      DecodingError.valueNotFound(let type, let context):
      "\(place(context.codingPath))expected \(type)"
    case DecodingError.dataCorrupted(let context):
      place(context.codingPath) + context.debugDescription
    case EncodingError.invalidValue(let value, let context):
      "\(place(context.codingPath))cannot encode \(value)"
    default: "\(error)"
    }
  }

  private static func place(_ path: [any CodingKey]) -> String {
    path.isEmpty ? "" : "at \(path.map(\.stringValue).joined(separator: ".")): "
  }
}
