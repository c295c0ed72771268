import FlowCore

extension Compiler {
  mutating func recover(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let body = try publisherFunction(arguments.function(), in: scope)
    let stage = call.text
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let outer = frame.captured
      let below = context.below
      return try upstream(&frame, context).catch { failure -> Stream in
        var frame = Frame(outer, failure.value)
        do throws(Trouble) {
          return try body(&frame, below)
        } catch {
          return .failing(PipelineFailure(error, stage: stage, value: failure.value))
        }
      }.eraseToAnyPublisher()
    }
  }

  func retry(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let count = try integer(arguments.first("a count"), atLeast: 0, in: scope)
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let count = try count(&frame)
      return try upstream(&frame, context).retry(count).eraseToAnyPublisher()
    }
  }

  func replaceError(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 0)
    let value = try values.compile(arguments.required("with"), in: scope)
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let value = try value(&frame)
      return try upstream(&frame, context).replaceError(with: value)
        .setFailureType(to: PipelineFailure.self).eraseToAnyPublisher()
    }
  }

  func mapError(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let body = try function(arguments.function(), arity: 1, in: scope)
    let stage = call.text
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let outer = frame.captured
      return try upstream(&frame, context).mapError { failure in
        var frame = Frame(outer, failure.value)
        do throws(Trouble) {
          let message = try body(&frame).plainText
          return PipelineFailure(code: failure.code, message: message)
        } catch {
          return PipelineFailure(error, stage: stage, value: failure.value)
        }
      }.eraseToAnyPublisher()
    }
  }
}

extension PipelineFailure {
  /// The failure as closures see it.
  fileprivate var value: Value {
    .object(
      JSONObject(members: [
        .init(key: "code", value: .string(code)), .init(key: "message", value: .string(message)),
      ])
    )
  }
}
