import Testing

@testable import flowclient

@Suite("Tests of a file, in a process")
struct TestProcessTests {
  private func play(
    _ script: String,
    limit: Duration = .seconds(60)
  ) throws -> (records: [TestRecord], ending: TestProcess.Ending) {
    var records: [TestRecord] = []
    let process = TestProcess(["sh", "-c", script], limit: limit, SystemSurroundings().platform)
    let ending = try process.run { records.append($0) }
    return (records, ending)
  }

  @Test("records come as they are written")
  func records() throws {
    let failed = TestRecord.failed(1, "a:3: \"x\" failed\n  é\n")
    let all: [TestRecord] = [.begun(0), .passed(0), .begun(1), failed]
    var bytes = all.flatMap { Array($0.text.utf8) }
    var read: [TestRecord] = []
    while let record = TestRecord.next(in: &bytes) { read.append(record) }
    #expect(read == all)
    #expect(bytes.isEmpty)
    var half = Array(failed.text.utf8.dropLast())
    #expect(TestRecord.next(in: &half) == nil)
  }

  @Test("a crash is told with what the runtime says of it, or with the signal")
  func crashes() throws {
    let trapped = try play(
      "printf 'begun 0 0\\n'; echo 'a/B.swift:3: Fatal error: Index out of range' >&2; kill -ILL $$"
    )
    #expect(trapped.records == [.begun(0)])
    #expect(trapped.ending == .crashed("Fatal error: Index out of range"))
    let killed = try play("printf 'begun 0 0\\npassed 0 0\\nbegun 1 0\\n'; kill -SEGV $$")
    #expect(killed.records == [.begun(0), .passed(0), .begun(1)])
    #expect(killed.ending == .crashed("it was ended by Segmentation fault"))
    #expect(try play("exit 0").ending == .done)
  }

  @Test("one that goes on for ever is ended")
  func endless() throws {
    let played = try play("printf 'begun 4 0\\n'; exec sleep 1000", limit: .seconds(2))
    #expect(played.records == [.begun(4)])
    #expect(played.ending == .tooLong)
  }
}
