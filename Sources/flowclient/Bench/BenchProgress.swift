import Synchronization

/// The progress of a bench, readable from any thread.
final class BenchProgress: Sendable {
  struct Sample: Equatable {
    var opened = 0
    /// The start of the load; 0 before it.
    var start: UInt64 = 0
    var sent: UInt64 = 0
    var received: UInt64 = 0
  }

  private let state = Mutex(Sample())
  private let request: BenchRequest

  init(_ request: BenchRequest) { self.request = request }

  var sample: Sample { state.withLock { $0 } }

  func update(_ change: (inout Sample) -> Void) { state.withLock { change(&$0) } }

  /// The status line; `before` was taken `seconds` earlier.
  func line(_ sample: Sample, _ before: Sample, seconds: Double, now: UInt64) -> String {
    guard sample.start > 0 else {
      let all = request.publishers + request.subscribers
      let isOpen = sample.opened == all
      return isOpen ? "waiting for the first value" : "connections \(sample.opened) of \(all)"
    }
    let share = min(1, share(of: sample, now: now))
    let full = Int(share * 20)
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: 20 - full)
    func right(_ text: String, _ columns: Int) -> String {
      DisplayText.pad(text, to: columns, right: true)
    }
    var words = ["[\(bar)] \(right(Figure.decimal(share * 100, digits: 0), 3)) %"]
    if request.form.publishes {
      let rate = Double(sample.sent - before.sent) / seconds
      words.append("sent \(right(Figure.short(rate), 5))/s")
    }
    if request.form.subscribes {
      let rate = Double(sample.received - before.received) / seconds
      words.append("received \(right(Figure.short(rate), 5))/s")
    }
    return words.joined(separator: "  ")
  }

  private func share(of sample: Sample, now: UInt64) -> Double {
    switch request.length {
    case .time(let length):
      Double(now - min(now, sample.start)) / Double(max(1, length.inNanoseconds))
    case .values(let count) where request.form == .sub:
      Double(sample.received) / (Double(count) * Double(request.subscribers))
    case .values(let count):
      Double(sample.sent) / (Double(count) * Double(request.publishers))
    }
  }
}
