import FlowServerSupport
import Synchronization
import Testing

@testable import flowclient

/// A person at a terminal, who types some lines.
private final class Typist: Surroundings {
  let platform = SystemSurroundings().platform
  let executor: (any TaskExecutor)? = nil
  let inputIsTerminal: Bool
  let outputIsTerminal: Bool
  let errorIsTerminal: Bool
  private let lines: Mutex<[String]>
  private let written = Mutex((output: "", errors: ""))

  init(
    _ lines: [String] = [],
    inputIsTerminal: Bool = true,
    outputIsTerminal: Bool = true,
    errorIsTerminal: Bool = true
  ) {
    self.lines = Mutex(lines)
    self.inputIsTerminal = inputIsTerminal
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
  }

  var errors: String { written.withLock { $0.errors } }
  var output: String { written.withLock { $0.output } }

  func environment(_ name: String) -> String? { nil }

  func writeOutput(_ bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    written.withLock { $0.output += text }
  }

  func writeError(_ bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes, as: UTF8.self)
    written.withLock { $0.errors += text }
  }

  func readInput(into buffer: UnsafeMutableRawBufferPointer) throws(ClientError) -> Int {
    let line = lines.withLock { $0.isEmpty ? "" : $0.removeFirst() }
    buffer.copyBytes(from: line.utf8)
    return line.utf8.count
  }

  func endWhenOutputBreaks() {}
  func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void) -> Any? { nil }
  func end(by number: Int32) {}
}

@Suite("send from a terminal")
struct PromptTests {
  private func send(
    _ person: Typist,
    _ options: String...
  ) async throws -> (values: String, exit: ExitCode) {
    let (_, address) = try TestServer.start("SUBJECT orders replay 9")
    let exit = await Program.run(["-s", address, "send", "orders"] + options, in: person)
    let reader = Typist(inputIsTerminal: false, outputIsTerminal: false)
    for verb in ["done", "sub"] {
      #expect(await Program.run(["-s", address, verb, "orders"], in: reader) == .done)
    }
    return (reader.output, exit)
  }

  @Test("says how to end, and asks for each value")
  func asks() async throws {
    let person = Typist(["1\n", "two words\n"])
    let result = try await send(person)
    #expect(result.values == "1\ntwo words\n" && result.exit == .done)
    #expect(
      person.errors == "type one value a line for orders; control-D ends\n"
        + "orders> orders> orders> \n"
    )
    #expect(person.output == "")
  }

  @Test("asks nobody who is not there or wants no words, and nothing where values are given")
  func asksNobody() async throws {
    for person in [
      Typist(["1\n"], inputIsTerminal: false), Typist(["1\n"], errorIsTerminal: false),
    ] {
      #expect(try await send(person).values == "1\n")
      #expect(person.errors == "")
    }
    let quiet = Typist(["1\n"])
    #expect(try await send(quiet, "-q").values == "1\n")
    #expect(quiet.errors == "")
    let given = Typist(["1\n"])
    #expect(try await send(given, "2").values == "2\n")
    #expect(given.errors == "")
  }

  @Test(
    "a terminal gets nothing that it would obey, in any form",
    arguments: ["csv", "ndjson", "template={}"]
  )
  func visible(_ form: String) async throws {
    let (_, address) = try TestServer.start()
    let person = Typist([])
    let words = ["-s", address, "sub", #"Just("a\u{9B}b")"#, "--format", form]
    #expect(await Program.run(words, in: person) == .done)
    #expect(person.output.contains(#"a\u{009B}b"#), "\(person.output)")
  }

  @Test(
    "leaves out a byte order mark before JSON, and nothing else",
    arguments: [
      ("text", "\u{FEFF}{\"a\":1}\n2\n", "{\"a\":1}\n2\n"),
      ("text", "\u{FEFF}tea\n", "\u{FEFF}tea\n"),
      ("text", "1\n\u{FEFF}2\n", "1\n\u{FEFF}2\n"), ("ndjson", "\u{FEFF}[1]\n2\n", "[1]\n2\n"),
      ("json", "\u{FEFF}{\"value\":1.50}\n", "1.50\n"), ("raw", "\u{FEFF}[1,\n2]", "[1,\n2]\n"),
      ("csv", "\u{FEFF}a\n1.50\n", "{\"a\":1.50}\n"),
    ]
  )
  func byteOrderMark(_ form: String, _ input: String, _ values: String) async throws {
    let file = Typist([input], inputIsTerminal: false)
    let result = try await send(file, "--format", form)
    #expect(result.values == values && result.exit == .done)
  }

  @Test("skips a byte order mark in arguments, too")
  func byteOrderMarkOfArguments() async throws {
    let result = try await send(Typist(), "\u{FEFF}{\"a\":\n1}", "\u{FEFF}[2]", "\u{FEFF}tea")
    #expect(result.values == "{\"a\":\n1}\n[2]\n\u{FEFF}tea\n")
    #expect(try await send(Typist(), "\u{FEFF}[3]").values == "[3]\n")
  }
}
