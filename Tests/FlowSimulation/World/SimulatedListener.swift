import FlowTransport

/// A socket of the world that takes connections.
///
/// Unchecked: used on the world's thread only.
final class SimulatedListener: ListeningSocket, SignGiver, @unchecked Sendable {
  let address: SocketAddress
  let descriptor: Int32
  private unowned let world: World
  var waiting: [SimulatedSocket] = []
  /// Called when somebody has connected, if no loop watches.
  var wake: (() -> Void)?
  var isClosed = false

  init(_ address: SocketAddress, _ descriptor: Int32, _ world: World) {
    self.address = address
    self.descriptor = descriptor
    self.world = world
  }

  var signs: Signs { Signs(isReadable: !waiting.isEmpty && !isClosed) }

  func accept() -> Acceptance {
    if waiting.isEmpty { return .none }
    if world.isExhausted { return .exhausted }
    if world.dice.chance(2) { return .again }
    let socket = waiting.removeFirst()
    return .connected(ConnectedSocket(descriptor: socket.descriptor, peer: socket.peer))
  }

  func acceptBySpare() -> Acceptance {
    guard !waiting.isEmpty else { return .none }
    if world.dice.chance(20) { return .exhausted }
    let socket = waiting.removeFirst()
    return .connected(ConnectedSocket(descriptor: socket.descriptor, peer: socket.peer))
  }

  func renewSpare() {}

  func turnAway(saying farewell: [UInt8]) -> TurningAway {
    if world.dice.chance(20) { return .impossible }
    if waiting.isEmpty { return .nobodyWaits }
    let socket = waiting.removeFirst()
    _ = farewell.withUnsafeBytes { socket.send($0) }
    socket.close()
    return .done
  }

  func close(_ watch: (any Watch)?) {
    if let watch { watch.close() } else { world.close(descriptor) }
  }
}
