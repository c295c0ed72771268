import Testing

@testable import FlowSimulation

@Suite("What is known of subjects in NATS")
struct StoredSubjectsTests {
  private let oracle = Oracle()

  init() {
    oracle.defines(subject: "SUBJECT n flow=slowest on=nats")
    oracle.defines(subject: "SUBJECT m flow=slowest on=nats")
    oracle.stored.now = { 1 }
  }

  /// A client that has said HELLO.
  private func client(_ name: String) -> Witness {
    let witness = Witness(ActorModel(name: name), oracle) { _, _ in }
    witness.hears(.line("HI flow/0.1.0 proto=1"))
    talk(witness, "> HELLO 1", "OK hello 1")
    return witness
  }

  /// Lines behind `>` are said, the others heard.
  private func talk(_ witness: Witness, _ lines: String...) {
    for line in lines {
      if line.hasPrefix("> ") {
        witness.says(String(line.dropFirst(2)))
      } else {
        witness.hears(.line(line))
      }
    }
  }

  /// Sends values to `n` that are stored at the places that they are called.
  private func send(_ witness: Witness, _ values: Int...) {
    for value in values { talk(witness, "> SEND n \(value)", "OK send n seq=\(value)") }
  }

  @Test("a value that is stored and comes is in order")
  func right() {
    let witness = client("A")
    talk(witness, "> SUB n 9 as=1", "OK sub 1 n demand=9")
    send(witness, 1, 2)
    talk(witness, "= 1 1", "= 1 2")
    witness.checkStored()
    oracle.stored.check(row: "* subject n nats=up", of: "n", bySecond: false)
    #expect(oracle.complaints == [])
  }

  @Test("a value that is stored and does not come is missed")
  func missing() {
    let witness = client("A")
    talk(witness, "> SUB n 9 as=1", "OK sub 1 n demand=9")
    send(witness, 1, 2)
    talk(witness, "= 1 1")
    witness.checkStored()
    #expect(oracle.complaints == ["A reads n: 2 is stored, and has not come"])
  }

  @Test("values that come in another order than they are stored in are noticed")
  func order() {
    let (reader, first, second) = (client("A"), client("B"), client("C"))
    talk(reader, "> SUB n 9 as=1", "OK sub 1 n demand=9")
    send(first, 1)
    send(second, 2)
    talk(reader, "= 1 2", "= 1 1")
    reader.checkStored()
    #expect(oracle.complaints == ["A reads n: 1, which is at 1, behind 2"])
  }

  @Test("a gap needs a loss, and a loss a gap")
  func gaps() {
    let witness = client("A")
    talk(witness, "> SUB n 9 as=1", "OK sub 1 n demand=9", "DROP 1 1 gap")
    #expect(oracle.complaints.count == 1)
    send(witness, 1, 2)
    talk(witness, "= 1 1")
    oracle.stored.now = { 2 }
    oracle.stored.loses(["2"], of: "n")
    witness.checkStored()
    // The gap from before counts.
    #expect(oracle.complaints.count == 1)
    oracle.stored.check(row: "* subject n nats=up", of: "n", bySecond: false)
    #expect(oracle.complaints.last == "the server: values of n are lost: * subject n nats=up")
    oracle.stored.check(row: "* subject m nats=lost", of: "m", bySecond: false)
    #expect(oracle.complaints.count == 3)
  }

  @Test("what a durable subscription has acknowledged long ago does not come again")
  func durable() {
    let (first, second, third) = (client("A"), client("B"), client("C"))
    talk(first, "> SUB n 2 as=1 durable=d", "OK sub 1 n demand=2")
    send(first, 1, 2)
    talk(first, "= 1 1", "= 1 2", "> REQ 1 1")
    oracle.stored.now = { 60_000_000_000 }
    first.standsAlone()
    talk(second, "> SUB n 2 as=1 durable=d", "OK sub 1 n demand=2", "= 1 2")
    #expect(oracle.complaints == [])
    talk(third, "> SUB n 2 as=1 durable=d", "OK sub 1 n demand=2", "= 1 1")
    #expect(oracle.complaints.count == 1)
    #expect(oracle.complaints.last?.contains("1 comes again") == true)
  }

  @Test("a run gives what it makes of each value once")
  func run() {
    let witness = client("A")
    let run = "RUN r = n.map { $0 + 1000000 }.assign(to: m)"
    talk(witness, "> \(run)", "OK run r resume=exact", "> SUB m 9 as=1", "OK sub 1 m demand=9")
    send(witness, 1, 2)
    talk(witness, "= 1 1000001")
    witness.checkStored()
    #expect(oracle.complaints.count == 1)
    talk(witness, "= 1 1000001")
    #expect(oracle.complaints.last?.contains("1000001 comes twice") == true)
  }

  @Test("a run makes a dead letter once of each value that it has no answer for")
  func letters() {
    oracle.defines(subject: "SUBJECT l flow=slowest on=nats")
    let witness = client("A")
    let run = "RUN r failed=l = n.map { $0 + 1000000 }.assign(to: m)"
    talk(witness, "> \(run)", "OK run r resume=exact", "> SUB l 9 as=1", "OK sub 1 l demand=9")
    talk(witness, "> SEND n \"x\"", "OK send n seq=1", "> SEND n 2", "OK send n seq=2")
    witness.checkStored()
    #expect(oracle.complaints.count == 1)
    #expect(oracle.complaints.last?.contains("\"x\" of n is stored") == true)
    let letter =
      #"{"value":"x","stage":"map { $0 + 1000000 }","reason":"cannot apply \"+\" to String and Int"}"#
    talk(witness, "= 1 \(letter)")
    witness.checkStored()
    #expect(oracle.complaints.count == 1)
    talk(witness, "= 1 \(letter)")
    #expect(oracle.complaints.last?.contains(" comes twice") == true)
  }
}
