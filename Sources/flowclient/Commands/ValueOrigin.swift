enum ValueOrigin {
  case numbered(NumberedValues)
  case given([[UInt8]])
  /// Standard input, split as requested.
  case standardInput(LineSource.Cut)
  case file(String)

  static func all(of request: SendRequest) -> [ValueOrigin] {
    if let count = request.count, let template = request.values.first {
      return [.numbered(NumberedValues(template, count: count))]
    }
    if !request.values.isEmpty { return [.given(request.values.map { Array($0.utf8) })] }
    return request.files.isEmpty
      ? [.standardInput(cut(of: request))] : request.files.map(ValueOrigin.file)
  }

  private static func cut(of request: SendRequest) -> LineSource.Cut {
    if let chunk = request.chunk { return .blocks(chunk) }
    if request.endsWithNull { return .separated(by: 0) }
    return request.form == .raw ? .whole : .lines
  }

  /// Opens it; `limit` bounds a value, and `chunk`, if given, splits files into blocks of this
  /// size.
  ///
  /// At a terminal, the `prompt` asks for each line.
  func open(
    in surroundings: any Surroundings,
    chunk: Int?,
    limit: Int,
    prompt: String?
  ) throws(ClientError) -> LineSource {
    switch self {
    case .numbered(let values): return LineSource(values)
    case .given(let values): return LineSource(values: values)
    case .standardInput(let cut):
      return LineSource(cut, of: surroundings, limit: limit, prompt: prompt)
    case .file(let path):
      if let chunk {
        let file = path == "-" ? nil : try FileInput(path)
        return LineSource(.blocks(chunk), of: surroundings, file: file)
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
