import Measure

/// A scenario and how what it costs is told.
struct Row {
  let name: String
  let scenario: Scenario
  var elements = 500_000
  /// What a cost in nanoseconds means.
  var rate: (Double) -> String = { _ in "" }

  init(_ name: String, run: @escaping (Int) -> Int) {
    self.name = name
    scenario = Scenario(name, run: run)
  }

  /// With the rate at which `bytes` for each element go by.
  func rated(bytes: Int) -> Row {
    var row = self
    row.rate = { "\(Int(Double(bytes) * 1000 / $0)) MB/s" }
    return row
  }

  /// With the elements in a second.
  func counted() -> Row {
    var row = self
    row.rate = { "\(Int(1e9 / $0)) values/s" }
    return row
  }
}
