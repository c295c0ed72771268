import FlowFiles
import FlowLanguage
import FlowTransport
import FlowWire

/// A file of what was seen: the definitions, and a test that passes.
struct MarbleFile {
  let text: String
  /// The size of the recording, for people.
  let remark: String

  /// Plays what was recorded in virtual time, which gives what comes out.
  init(
    _ names: MarbleNames,
    _ recording: MarbleRecording,
    leftOut: UInt64,
    clock: @escaping () -> UInt64
  ) throws(ClientError) {
    guard let expression = names.expression else {
      throw ClientError(.no, "the text of \(names.name) cannot be read, so there is no test of it")
    }
    var trial = Trial(expression)
    trial.name = names.name
    trial.tick = MarbleRecording.tick
    trial.ticks = recording.ticks
    trial.rows = recording.rows
    trial.known = names.known
    trial.limits.time = 10_000_000_000
    trial.limits.steps = 10_000_000
    let file: String
    do throws(TrialError) {
      file = try trial.run(clock: clock).testFile
    } catch {
      throw ClientError(.no, "what was seen cannot be played: \(error.text)")
    }
    let (written, all) = recording.values
    let seconds = "\(recording.ticks / 10).\(recording.ticks % 10) s"
    var head = [
      "# What passed \(names.name), in ticks of \(MarbleRecording.tick) ms, by flowclient marble.",
      "# It begins with new stages: what they had seen before is not in it.",
    ]
    if written < all {
      head.append("# It is cut: it has \(written) of \(all) values, those of the first \(seconds).")
    }
    if leftOut > 0 {
      head.append("# \(leftOut) values passed that were not seen; the test does not have them.")
    }
    if recording.unwritable > 0 {
      let count = recording.unwritable
      head.append("# \(count) values cannot stand in a test, which does not have them.")
    }
    text = head.map { $0 + "\n" }.joined() + "\n" + file
    remark = "\(written) of \(all) values, \(seconds)"
    try check()
  }

  /// Plays the test as `flowclient test` would.
  private func check() throws(ClientError) {
    let script = Script(text, name: "saved")
    if let error = Definitions(script).errors.first {
      throw ClientError(.bug, "the file would be wrong: \(error.report)")
    }
    for step in Definitions(script).tests {
      guard case .test(let test) = step.statement.kind else { continue }
      if let difference = test.play(in: Definitions(script).scene).difference {
        throw ClientError(.no, "the test would not pass, so it is not written: \(difference)")
      }
    }
  }
}
