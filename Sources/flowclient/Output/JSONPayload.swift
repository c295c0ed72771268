import FlowLanguage

/// A payload as a text.
enum JSONPayload {
  /// Calls `body` with the content of a JSON string, or with any other payload unchanged.
  static func withText(
    of payload: UnsafeRawBufferPointer,
    _ body: (_ text: UnsafeRawBufferPointer, _ isString: Bool) -> Void
  ) {
    guard unsafe mayBeString(payload), unsafe JSONText.isJSON(payload),
      case .string(var text) = unsafe Value(bytes: payload).decoded
    else { return unsafe body(payload, false) }
    text.withUTF8 { unsafe body(UnsafeRawBufferPointer($0), true) }
  }

  private static func mayBeString(_ payload: UnsafeRawBufferPointer) -> Bool {
    unsafe payload.first { $0 > 0x20 } == UInt8(ascii: "\"")
  }
}
