/// Where values come from that are sent.
enum ValueOrigin {
  case numbered(NumberedValues)
  case given([[UInt8]])
  case standardInput
  case file(String)

  static func all(of request: SendRequest) -> [ValueOrigin] {
    if let count = request.count, let template = request.values.first {
      return [.numbered(NumberedValues(template, count: count))]
    }
    if !request.values.isEmpty { return [.given(request.values.map { Array($0.utf8) })] }
    return request.files.isEmpty ? [.standardInput] : request.files.map(ValueOrigin.file)
  }

  /// Opens it; values may have `limit` bytes, and are blocks of `chunk` bytes if there is one.
  func open(
    in surroundings: any Surroundings,
    chunk: UInt64?,
    limit: Int
  ) throws(ClientError) -> LineSource {
    let cut = chunk.map { LineSource.Cut.blocks(Int(clamping: $0)) }
    switch self {
    case .numbered(let values): return LineSource(values)
    case .given(let values): return LineSource(values: values)
    case .standardInput: return LineSource(cut ?? .lines, of: surroundings, limit: limit)
    case .file(let path):
      if let cut {
        let file = path == "-" ? nil : try FileInput(path)
        return LineSource(cut, of: surroundings, file: file)
      }
      return LineSource(values: [try Self.contents(of: path, in: surroundings, limit: limit)])
    }
  }

  private static func contents(
    of path: String,
    in surroundings: any Surroundings,
    limit: Int
  ) throws(ClientError) -> [UInt8] {
    let value =
      path == "-"
      ? try surroundings.contents(of: path) : try FileInput(path).contents(upTo: limit)
    guard let value, value.count <= limit else {
      throw ClientError(
        .badInput,
        "\(path) has more than \(limit) bytes, the limit of a value",
        advice: "--chunks SIZE cuts it into values"
      )
    }
    return value
  }
}
