import FlowCore
import FlowTestSupport

extension Publisher where Self: SendableMetatype {
  /// Restores the error type after a `try` operator.
  fileprivate func typed() -> Publishers.MapError<Self, TestError> {
    mapError { $0 as? TestError ?? TestError() }
  }
}

/// Operators that answer a question about all values, or choose among them.
let answering: [Candidate] = [
  .plain("allSatisfy", [.reduces, .prefetches]) { $0.allSatisfy { $0 < 4 }.map { $0 ? 1 : 0 } },
  .plain("tryAllSatisfy", [.reduces, .prefetches]) {
    $0.tryAllSatisfy { $0 < 4 }.map { $0 ? 1 : 0 }.typed()
  },
  .plain("contains", [.reduces, .prefetches]) { $0.contains(3).map { $0 ? 1 : 0 } },
  .plain("contains(where:)", [.reduces, .prefetches]) {
    $0.contains { $0 > 3 }.map { $0 ? 1 : 0 }
  },
  .plain("tryContains", [.reduces, .prefetches]) {
    $0.tryContains { $0 > 3 }.map { $0 ? 1 : 0 }.typed()
  },
  .plain("min", [.reduces, .prefetches]) { $0.min() },
  .plain("max(by:)", [.reduces, .prefetches]) { $0.max(by: <) },
  .plain("tryMin", [.reduces, .prefetches]) { $0.tryMin(by: <).typed() },
  .plain("tryMax", [.reduces, .prefetches]) { $0.tryMax(by: <).typed() },
  .plain("last(where:)", [.reduces, .prefetches]) { $0.last { $0 < 3 } },
  .plain("tryLast", [.reduces, .prefetches]) { $0.tryLast { $0 < 3 }.typed() },
  .plain("tryFirst", [.prefetches]) { $0.tryFirst { $0 > 2 }.typed() },
  .plain("tryDrop") { $0.tryDrop { $0 < 2 }.typed() },
  .plain("tryPrefix") { $0.tryPrefix { $0 < 4 }.typed() },
  .plain("tryRemoveDuplicates") { $0.tryRemoveDuplicates(by: ==).typed() },
  .plain("output(at:)") { $0.output(at: 2) },
  .plain("output(in:)") { $0.output(in: 1...3) },
  .plain("collect(2)", [.prefetches]) { $0.collect(2).map { $0[0] } },
  .plain("map(\\.)", [.isTransparent]) { $0.map(\.self) },
  .plain("replaceNil", [.isTransparent]) { $0.map { Optional($0) }.replaceNil(with: 0) },
  .plain("encode.decode") {
    $0.encode(encoder: Plain()).decode(type: Int.self, decoder: Plain()).typed()
  },
  .plain("breakpointOnError", [.isTransparent]) {
    $0.breakpoint(receiveOutput: { $0 < 0 })
  },
  .timed("measureInterval", []) { source, clock in
    source.measureInterval(using: clock).map { _ in 1 }
  },
]
