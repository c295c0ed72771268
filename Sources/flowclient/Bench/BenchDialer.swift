import Dispatch
import FlowTransport
import Synchronization

/// Makes many connections, some at a time.
final class BenchDialer: Sendable {
  private static let atOnce = 16

  private let address: SocketAddress
  private let count: Int
  private let next = Atomic(0)

  init(address: SocketAddress, count: Int) {
    self.address = address
    self.count = count
  }

  /// Calls `dialed` with each connection and its number from 0; stops at the first that fails.
  func start(_ dialed: @escaping @Sendable (Int, Result<ConnectedSocket, TransportError>) -> Void) {
    for _ in 0..<min(Self.atOnce, count) {
      DispatchQueue(label: "flowclient.bench.dialer").async { @Sendable [self] in
        while true {
          let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
          guard index < count else { return }
          do throws(TransportError) {
            dialed(
              index,
              .success(try SystemPlatform.shared.connect(to: address, within: 10_000_000_000))
            )
          } catch {
            next.store(count, ordering: .relaxed)
            return dialed(index, .failure(error))
          }
        }
      }
    }
  }
}
