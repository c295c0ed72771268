extension TaggedCommand {
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    command.write(tag: tag, into: &bytes)
    return bytes
  }
}

extension Command: CustomStringConvertible {
  public var description: String { String(decoding: bytes.dropLast(), as: UTF8.self) }

  public var bytes: [UInt8] { TaggedCommand(self).bytes }

  /// Appends the line and its line end, after the tag if there is one.
  ///
  /// The caller guarantees that names, expressions and values fit on a line.
  public func write(tag: String? = nil, into output: inout [UInt8]) {
    if let tag { output.append(tag: tag) }
    switch self {
    case .request(.stream(let id), .demand(let demand)):
      ServerLine.request(id, demand).write(into: &output)
    case .done(.stream(let id)): ServerLine.done(id).write(into: &output)
    case .fail(.stream(let id), let code, let text):
      ServerLine.fail(id, code: code, text: text).write(into: &output)
    default: output.append(line)
    }
  }
}
