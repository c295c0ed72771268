import FlowCore
@testable import FlowLanguage
import Testing

@Suite("Lines of Combine programs, with the data source and the scheduler changed")
struct PastingTests {
  @Test("a toy: each tap starts a timer of its own")
  func timers() throws {
    let host = TestHost(subjects: "button")
    let recorder = try host.run(
      """
      button
          .flatMap { _ -> AnyPublisher<Int,Never> in
              let p = Timer.publish(every: 1, on: .main, in: .common)
                  .autoconnect()
                  .scan(0) {count,date in count + 1}
                  .eraseToAnyPublisher()
              return p
          }
      """
    )
    host.send("tap", to: "button")
    host.wait(until: 1.5)
    host.send("tap", to: "button")
    host.wait(until: 4)
    #expect(recorder.joined == "1 2 1 3 2 4")
    recorder.cancel()
    #expect(host.clock.nextDeadline == nil)
  }

  @Test("authorization is asked for where it is not there", arguments: ["true", "false", "fail"])
  func authorization(status: String) throws {
    let host = TestHost(subjects: "button", "requestAccess")
    host.pipelines["checkAccess"] = try host.pipeline(
      status == "fail" ? "Fail(\"refused\")" : "Just(\(status))"
    )
    let recorder = try host.run(
      """
      button
          .setFailureType(to: Error.self)
          .flatMap { _ in
              checkAccess
          }.flatMap { gotAccess -> AnyPublisher<Bool,Error> in
              if gotAccess {
                  return Just(true)
                      .setFailureType(to: Error.self)
                      .eraseToAnyPublisher()
              } else {
                  return requestAccess
                      .eraseToAnyPublisher()
              }
          }
      """
    )
    host.send("tap", to: "button")
    host.send("\"granted\"", to: "requestAccess")
    switch status {
    case "true": #expect(recorder.joined == "true")
    case "false": #expect(recorder.joined == "\"granted\"")
    default: #expect(recorder.failure?.message == "refused")
    }
  }

  @Test("three fetches, of which the second fails, one at a time and with the error kept inside")
  func fetches() throws {
    let host = TestHost()
    let recorder = try host.run(
      """
      ["manny.jpg", "moe.jpg", "jack.jpg"].publisher
          .setFailureType(to: URLError.self)
          .flatMap(maxPublishers:.max(1)) { url in
              Just(url)
                  .delay(for: 1, scheduler: DispatchQueue.main)
                  .tryMap { $0 == "moe.jpg" ? fail("no such host") : $0 }
                  .catch { Just(["error": $0.message]) }
          }
      """
    )
    host.wait(until: 10)
    #expect(recorder.joined == "\"manny.jpg\" {\"error\":\"no such host\"} \"jack.jpg\"")
    #expect(recorder.times == [1, 2, 3])
  }

  @Test("each fetch has its own error, replaced by a tuple with labels")
  func replaced() throws {
    let host = TestHost()
    host.services["dataTask"] = { url in
      url.text == "\"moe.jpg\""
        ? Fail(error: PipelineFailure(code: "gone", message: "no such host")).eraseToAnyPublisher()
        : Just(value("{\"data\":\(url.text),\"response\":200}"))
          .setFailureType(to: PipelineFailure.self).eraseToAnyPublisher()
    }
    let recorder = try host.run(
      """
      ["manny.jpg", "moe.jpg", "jack.jpg"].publisher
          .flatMap(maxPublishers:.max(1)) { url in
              ask(dataTask, url)
              .replaceError(with: (data: "", response: 0))
          }
          .map(\\.data)
      """
    )
    #expect(recorder.joined == "\"manny.jpg\" \"\" \"jack.jpg\"")
  }

  @Test("each fetch has its own error, caught in a Result")
  func results() throws {
    let host = TestHost()
    host.services["dataTask"] = { url in
      url.text == "2"
        ? Fail(error: PipelineFailure(code: "gone", message: "no such host")).eraseToAnyPublisher()
        : Just(value("{\"data\":\(url.text)}"))
          .setFailureType(to: PipelineFailure.self).eraseToAnyPublisher()
    }
    let recorder = try host.run(
      """
      [1, 2, 3].publisher
          .flatMap { url in
              ask(dataTask, url)
                  .map { Result<Data,Error>.success($0.data) }
                  .catch { Just(Result<Data,Error>.failure($0)) }
          }
          .map { $0.success ?? $0.failure.message }
      """
    )
    #expect(recorder.joined == "1 \"no such host\" 3")
  }

  @Test("the zone that is there is published by a Result", arguments: ["{\"id\":7}", "null"])
  func resultPublisher(found: String) throws {
    let host = TestHost(subjects: "fetchZone")
    host.pipelines["createZone"] = try host.pipeline("Just([\"id\": 1])")
    let recorder = try host.run(
      """
      fetchZone
          .flatMap { existingZone in
              if let existingZone = existingZone {
                  return Result<CKRecordZone, Swift.Error>
                      .Publisher(existingZone).eraseToAnyPublisher()
              } else {
                  return createZone.eraseToAnyPublisher()
              }
          }
      """
    )
    host.send(found, to: "fetchZone")
    #expect(recorder.joined == (found == "null" ? "{\"id\":1}" : found))
  }

  @Test("a user is made and saved by its initializer's labels")
  func initializer() throws {
    let host = TestHost(subjects: "users")
    host.services["save"] = {
      Just($0).setFailureType(to: PipelineFailure.self).eraseToAnyPublisher()
    }
    let recorder = try host.run(
      """
      users.flatMap { authUser -> AnyPublisher<User, MyAuthError> in
          let newUser = User(id: authUser.userId, username: authUser.username)
          return ask(save, newUser)
              .mapError(MyAuthError.amplify)
              .eraseToAnyPublisher()
      }
      """
    )
    host.send("{\"userId\":3,\"username\":\"ann\"}", to: "users")
    #expect(recorder.joined == "{\"id\":3,\"username\":\"ann\"}")
  }

  @Test("a zone is created only if there is none", arguments: ["{\"id\":7}", "null"])
  func zone(found: String) throws {
    let host = TestHost(subjects: "fetchZone")
    host.pipelines["createZone"] = try host.pipeline("Just([\"id\": 1]).print(\"create\")")
    let recorder = try host.run(
      """
      fetchZone
          .flatMap { existingZone in
              if let existingZone = existingZone {
                  return Just(existingZone).eraseToAnyPublisher()
              } else {
                  return createZone.eraseToAnyPublisher()
              }
          }
          .retry(3)
          .map { $0 }
          .replaceError(with: nil)
          .receive(on: RunLoop.main)
      """
    )
    host.send(found, to: "fetchZone")
    #expect(recorder.joined == (found == "null" ? "{\"id\":1}" : found))
    #expect(host.lines.isEmpty == (found != "null"))
  }

  @Test(
    "a session, its user, and the user's row",
    arguments: [
      ("{\"isSignedIn\":true,\"user\":{\"userId\":3}}", "[{\"id\":3}]", "{\"id\":3}", nil),
      ("{\"isSignedIn\":true,\"user\":{\"userId\":3}}", "[]", "{\"saved\":3}", nil),
      ("{\"isSignedIn\":false}", "[]", "", "noSession"),
      ("{\"isSignedIn\":true}", "[]", "", "noSession"),
    ] as [(String, String, String, String?)]
  )
  func session(session: String, items: String, expected: String, failure: String?) throws {
    let host = TestHost(subjects: "fetchAuthSession", "save")
    host.pipelines["query"] = try host.pipeline(
      "Just([\"items\": \(items.replacing("{", with: "[").replacing("}", with: "]"))])"
    )
    let recorder = try host.run(
      """
      fetchAuthSession
         .mapError(MyAuthError.amplify)
         .flatMap { session -> AnyPublisher<AuthUser, MyAuthError> in
             if session.isSignedIn, let authUser = session.user {
                 return Just(authUser)
                     .setFailureType(to: MyAuthError.self)
                     .eraseToAnyPublisher()
             } else {
                 return Fail(error: MyAuthError.noSession)
                     .eraseToAnyPublisher()
             }
         }
         .flatMap { authUser -> AnyPublisher<User, MyAuthError> in
             query
                 .mapError(MyAuthError.amplify)
                 .first()
                 .map(\\.items)
                 .flatMap { users -> AnyPublisher<User, MyAuthError> in
                     if users.isEmpty {
                         let newUser = authUser.userId
                         return Just(["saved": newUser])
                             .mapError(MyAuthError.amplify)
                             .eraseToAnyPublisher()

                     } else {
                         return Just(users.first!)
                             .setFailureType(to: MyAuthError.self)
                             .eraseToAnyPublisher()
                     }
                 }
                 .eraseToAnyPublisher()
         }
      """
    )
    host.send(session, to: "fetchAuthSession")
    #expect(recorder.joined == expected)
    #expect(recorder.failure?.message == failure)
  }

  @Test("three at a time, with the scheduler and everything that Combine needs for its types")
  func buffer() throws {
    let host = TestHost(subjects: "sub")
    let recorder = try host.run(
      """
      sub
      .buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)
      .flatMap(maxPublishers:.max(3)) { i in
      return Just(i)
      .delay(for: 3, scheduler: DispatchQueue.main)
      .eraseToAnyPublisher()
      }
      """
    )
    host.send(1...12, to: "sub")
    host.wait(until: 60)
    #expect(recorder.joined == "1 2 3 4 5 6 7 8 9 10 11 12")
  }

  @Test("a fast timer behind a small buffer, word for word but for the delay's length")
  func timer() throws {
    let host = TestHost()
    let recorder = try host.run(
      """
      Timer.publish(every: 0.2, on: .main, in: .common).autoconnect()
      .scan(0) {i,_ in i+1}
      .buffer(size: 4, prefetch: .byRequest, whenFull: .dropNewest)
      .flatMap(maxPublishers:.max(1)) {
      Just($0).delay(for: 2.15, scheduler: DispatchQueue.main)
      }
      """
    )
    host.wait(until: 18)
    #expect(recorder.joined == "1 2 3 4 5 12 23 34")
    recorder.cancel()
  }

  @Test(
    "forms of Swift that say nothing here, or what can be said otherwise",
    arguments: [
      ("Just(3).map { x -> Int in x + 1 }", "4"),
      ("Just(3).flatMap { x -> AnyPublisher<[String: Int]?, Never> in Just(x) }", "3"),
      ("Just([1, 2]).map { $0.first! + 1 }", "2"),
      ("Just(1).map { if let a = $0, a > 0 { a } else { 0 } }", "1"),
      ("Just([\"a\": 5]).map { o in if let a = o.a, let b = o.b { a + b } else { -1 } }", "-1"),
      ("Just([\"a\": 5]).map { o in if let o { o.a } else { -1 } }", "5"),
      ("Just(1).map { if let a = $0, let b = a, b > 5 { a } else { 0 } }", "0"),
      (
        "Just(2).flatMap { n in let p = Just(n); let m = n * 10; p.append(Just(m)) }", "2 20"
      ), ("Just(2).flatMap { n in let p = Just(n); p.merge(with: p) }", "2 2"),
      ("Just(3).zip(Just(4)).map { $0 * $1 }", "12"),
      ("Just(3).zip(Just(4)).map { (a: Int, b: Int) -> Int in a - b }", "-1"),
      ("Just(3).zip(Just(4)).filter { $0.0 < $0.1 }.map(\\.count)", "2"),
      ("Just(3).zip(Just(4)).map { pair in pair.1 }", "4"),
      ("Just(3).zip(Just(4)).flatMap { a, b in [a, b].publisher }", "3 4"),
      ("Just(3).zip(Just([5, 4])).map { [$1.sorted { $0 < $1 }, $0] }", "[[4,5],3]"),
      ("Just(3).map { ($0, name: 1).0 }", "refused"),
      ("Just(3).map { (count: $0, name: \"a\") }.map { $0.count }", "3"),
      ("Just([1, 2]).map { let (a, b) = $0; b - a }", "1"),
      ("Just([1, [2, 3]]).map { $0.1.0 }", "2"),
      ("Just(3).map { _ in () }", "null"),
      ("Just(3).map { let next: Int = $0 + 1; next }", "4"),
      ("Just(3).map { User(id: $0, name: \"ann\") }", "{\"id\":3,\"name\":\"ann\"}"),
      ("Publishers.Zip(Just(1), Just(2)).map { $0 + $1 }", "3"),
      ("Publishers.Zip3(Just(1), Just(2), Just(3)).map { a, b, c in a + b + c }", "6"),
      ("Publishers.CombineLatest(Just(1), Just(2)).map { $0.1 }", "2"),
      ("Publishers.Merge(Just(1), Just(2))", "1 2"),
      ("Publishers.MergeMany([Just(1), Just(2), Just(3)]).map { $0 * 2 }", "2 4 6"),
      ("Publishers.MergeMany(Just(1))", "1"),
      ("Publishers.Concatenate(prefix: Just(1).delay(for: 1), suffix: Just(2))", "1 2"),
      ("Publishers.Sequence(sequence: 1...3).dropFirst()", "2 3"),
      ("Result<Int, Never>.Publisher(3).map { $0 + 1 }", "4"),
      ("Result.success(3).publisher", "3"),
      ("Result<Int, E>.Publisher(.failure(.closed)).catch { Just($0.message) }", "\"closed\""),
      ("Just(1).flatMap { _ in Result<Int, E>.failure(.a).publisher }.replaceError(with: 7)", "7"),
      ("Fail(error: MyError.closed).catch { Just($0.message) }", "\"closed\""),
      ("Fail(error: .closed).mapError(E.net).catch { Just($0.message) }", "\"net: closed\""),
      (
        "Empty(completeImmediately: false).timeout(1, customError: { MyError.late })"
          + ".catch { Just($0.message) }", "\"late\""
      ),
    ] as [(String, String)]
  )
  func forms(text: String, expected: String) throws {
    let host = TestHost()
    guard expected != "refused" else {
      #expect(throws: Diagnostic.self) { try host.run(text) }
      return
    }
    let recorder = try host.run(text)
    host.wait(until: 5)
    #expect(recorder.joined == expected)
    #expect(recorder.completions == [.finished])
  }

  @Test("a value that is null where ! says it is not fails the stage")
  func unwrapping() throws {
    let recorder = try TestHost().run("Just([1]).tryMap { $0.last!.a! }")
    #expect(recorder.failure != nil)
    let other = try TestHost().run("Just([\"a\": null]).map { $0.a! }")
    #expect(other.failure?.message == "$0.a is null")
  }

  @Test(
    "forms of Combine that say the same in other words",
    arguments: [
      ("taps.map { (value) in value * 2 }", "taps.map { value in value * 2 }"),
      ("taps.map { (value: Int) -> Int in value * 2 }", "taps.map { value in value * 2 }"),
      (
        "taps.zip(taps) { (a: [String: Int], b: Array<Int?>) -> Int in a }",
        "taps.zip(taps) { a, b in a }"
      ),
      (
        "taps.removeDuplicates(by: { (a, b) in a == b })",
        "taps.removeDuplicates(by: { a, b in a == b })"
      ),
      ("Deferred { () -> AnyPublisher<Int, Never> in Just(1) }", "Deferred { Just(1) }"),
      ("taps.scan(0, +)", "taps.scan(0) { $0 + $1 }"),
      ("taps.map(\\.a, \\.b.c)", "taps.map { [$0.a, $0.b.c] }"),
      ("taps.flatMap(Just.init)", "taps.flatMap({ Just($0) })"),
      ("Publishers.Zip(taps, taps)", "taps.zip(taps)"),
      ("Publishers.Zip4(taps, taps, taps, taps)", "taps.zip(taps, taps, taps)"),
      ("Publishers.CombineLatest3(taps, taps, taps)", "taps.combineLatest(taps, taps)"),
      ("Publishers.Merge3(taps, taps, taps)", "taps.merge(with: taps, taps)"),
      ("Publishers.MergeMany([taps, taps])", "taps.merge(with: taps)"),
      ("Publishers.Concatenate(prefix: taps, suffix: taps)", "taps.append(taps)"),
      ("Publishers.Sequence(sequence: [1, 2]).map { $0 }", "[1, 2].publisher.map { $0 }"),
      ("Result<Int, Never>.Publisher(1)", "Just(1)"),
      ("Result<Int, Late>.Publisher(.failure(.late))", "Fail(.late)"),
      ("Result<Int, Late>.success(1).publisher", "Just(1)"),
      ("taps.map { ($0, 1) }", "taps.map { [$0, 1] }"),
      ("taps.map { (a: $0, b: 1) }", "taps.map { [\"a\": $0, \"b\": 1] }"),
      ("taps.map { ($0.0, $0.1.0) }", "taps.map { [$0[0], $0[1][0]] }"),
      ("taps.map { () }", "taps.map { null }"),
      ("taps.map { let a: [Int]? = $0; a }", "taps.map { let a = $0; a }"),
      (
        "taps.map { if let a: Int = $0 { a } else { 0 } }",
        "taps.map { if let a = $0 { a } else { 0 } }"
      ),
      ("taps.removeDuplicates(by: ==)", "taps.removeDuplicates(by: { $0 == $1 })"),
      (
        "taps.map { $0.a.sorted(by: >).reduce(0, +) }",
        "taps.map { $0.a.sorted(by: { $0 > $1 }).reduce(0) { $0 + $1 } }"
      ),
      ("taps.compactMap(Int.init)", "taps.compactMap { Int($0) }"),
      ("taps.map { $0.a?.b?[0] ?? 0 }", "taps.map { $0.a.b[0] ?? 0 }"),
      ("taps.map { $0 ? 1 : 2 }", "taps.map { $0 ? (1) : 2 }"),
      ("taps.output(in: ...3)", "taps.output(in: 0...3)"),
      ("taps.output(in: ..<3)", "taps.output(in: 0..<3)"),
      ("taps.output(in: 3...)", "taps.output(in: 3...9223372036854775807)"),
      ("Empty<Int, Never>()", "Empty()"),
      ("Fail<[String: Int], Late>(error: .late)", "Fail(error: .late)"),
      ("taps.timeout(1) { Late.late }", "taps.timeout(1, { Late.late })"),
      (
        "taps.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { Late.late })",
        "taps.buffer(size: 1, prefetch: .byRequest, whenFull: .customError({ Late.late }))"
      ),
    ]
  )
  func forms(text: String, plain: String) throws {
    let host = TestHost(subjects: "taps")
    _ = try host.pipeline(text)
    #expect(
      try SyntaxPrinter.print(Parser.parse(text, isName: { _ in false }))
        == SyntaxPrinter.print(Parser.parse(plain, isName: { _ in false }))
    )
  }

  @Test(
    "arguments that say nothing here",
    arguments: [
      "taps.subscribe(on: DispatchQueue.global()).map { $0 }",
      "taps.receive(on: RunLoop.main, options: nil)",
      "taps.delay(for: 1, tolerance: .milliseconds(5), scheduler: RunLoop.main, options: .none)",
      "taps.debounce(for: 1, scheduler: DispatchQueue.global(qos: .background), options: nil)",
      "taps.timeout(1, scheduler: DispatchQueue.main, options: nil, customError: nil)",
      "Timer.publish(every: 1, tolerance: 0.5, on: .main, in: RunLoop.Mode.common).autoconnect()",
      "taps.flatMap(maxPublishers: Subscribers.Demand.max(1)) { Just($0) }",
      "taps.buffer(size: 1, prefetch: Publishers.PrefetchStrategy.keepFull, whenFull: .dropNewest)",
    ]
  )
  func arguments(text: String) {
    #expect(throws: Never.self) { try TestHost(subjects: "taps").pipeline(text) }
  }

  @Test("output from a place on, or up to one")
  func ranges() throws {
    let host = TestHost()
    #expect(try host.run("(1...5).publisher.output(in: 3...)").joined == "4 5")
    #expect(try host.run("(1...5).publisher.output(in: ...1)").joined == "1 2")
  }

  @Test("an error's case is the text of the failure")
  func cases() throws {
    let host = TestHost()
    #expect(try host.run("Fail(\"a\").mapError { _ in Late.closed }").failure?.message == "closed")
    let failed = try host.run("Just(1).delay(for: 5).timeout(1, customError: { Late.closed })")
    host.wait(until: 2)
    #expect(failed.failure?.message == "closed")
  }
}
