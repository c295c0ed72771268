import FlowLanguage
import FlowTransport

/// Writes events as objects of JSON: `{"name":"orders","seconds":0.104,"value":{"id":1}}`.
struct MarbleEvents: Sendable {
  private let surroundings: any Surroundings
  /// On the clock of the platform, in nanoseconds.
  private let start: UInt64

  init(_ surroundings: any Surroundings, from start: UInt64) {
    self.surroundings = surroundings
    self.start = start
  }

  /// Writes a value, in the form of `JSONRecord`.
  func write(_ payload: UnsafeRawBufferPointer, at name: String) {
    var members: [UInt8] = []
    unsafe JSONRecord.append(payload, to: &members)
    write(String(decoding: members.dropFirst(), as: UTF8.self), at: name)
  }

  func write(leftOut count: UInt64, at name: String) { write("\"left_out\":\(count)", at: name) }

  /// The end, or why it failed.
  func write(end failure: String?, at name: String) {
    write(failure.map { "\"failed\":\(JSONText.string($0))" } ?? "\"ended\":true", at: name)
  }

  private func write(_ members: String, at name: String) {
    let time = Double(surroundings.platform.monotonicNanoseconds - start) / 1e9
    let head = "\"name\":\(JSONText.string(name)),\"seconds\":\(Figure.decimal(time, digits: 3))"
    surroundings.writeOutput("{\(head),\(members)}\n")
  }
}
