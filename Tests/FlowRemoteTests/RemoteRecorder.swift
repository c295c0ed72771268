import FlowCore
import FlowRemote
import FlowTestSupport

/// A subscriber to what a server publishes.
typealias RemoteRecorder<Input: Sendable> = AwaitedSubscriber<Input, RemoteError>

extension AwaitedSubscriber where Input == [UInt8] {
  var texts: [String] { values.map { String(decoding: $0, as: UTF8.self) } }

  func waitForTexts(_ count: Int) -> [String] {
    wait(for: count).map { String(decoding: $0, as: UTF8.self) }
  }
}
