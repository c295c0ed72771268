import CLinux
import Glibc
import Synchronization

/// A listening socket of the kernel.
final class KernelListener: ListeningSocket {
  let address: SocketAddress
  let descriptor: Int32
  private let file: SocketFile?
  /// Whether another process has the socket too, and continues to listen.
  private let isShared: Bool
  private let spare = Mutex(SpareDescriptor())

  init(_ address: SocketAddress) throws(TransportError) {
    descriptor = try Self.bind(address)
    self.address = Socket.localAddress(descriptor) ?? address
    file = SocketFile(address)
    isShared = false
  }

  /// Takes over a socket that listens already, at `address`.
  init(shared descriptor: Int32, at address: SocketAddress) {
    self.descriptor = descriptor
    self.address = address
    file = nil
    isShared = true
    Self.prepareForAccepted(descriptor)
  }

  /// Sets what those that are accepted inherit.
  private static func prepareForAccepted(_ descriptor: Int32) {
    Socket.sendAtOnce(descriptor)
    Socket.set(descriptor, KeepAlive.usual)
  }

  private static func bind(_ address: SocketAddress) throws(TransportError) -> Int32 {
    if case .name(let name, _) = address.place {
      let message = "\"\(name)\" is a name, expected an address of this machine or localhost"
      throw TransportError(call: "listen \(address)", message: message)
    }
    func failure(_ call: String) -> TransportError {
      TransportError("\(call) \(address)", errno)
    }
    let descriptor = Socket.make(address.family)
    if descriptor < 0 { throw failure("socket") }
    Socket.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    if address.family == AF_INET6 {
      Socket.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1)
    }
    prepareForAccepted(descriptor)
    var isBound = unsafe address.withKernelForm { unsafe Glibc.bind(descriptor, $0, $1) == 0 }
    if !isBound, errno == EADDRINUSE, SocketFile.removeIfStale(address) {
      isBound = unsafe address.withKernelForm { unsafe Glibc.bind(descriptor, $0, $1) == 0 }
    }
    guard isBound, Glibc.listen(descriptor, 4096) == 0 else {
      let error = failure(isBound ? "listen" : "bind")
      Socket.close(descriptor)
      throw error
    }
    return descriptor
  }

  func accept() -> Acceptance {
    var accepted: Int32 = -1
    let peer = unsafe Socket.address {
      accepted = unsafe flow_accept(descriptor, $0, $1)
      return accepted >= 0
    }
    if let peer {
      let place = SocketAddress(peer) ?? address
      return .connected(ConnectedSocket(descriptor: accepted, peer: place))
    }
    return switch errno {
    case EINTR, ECONNABORTED: .again
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted
    default: .none
    }
  }

  func acceptBySpare() -> Acceptance {
    spare.withLock { spare in
      spare.renew()
      guard spare.isOpen else { return .exhausted }
      spare.close()
      let accepted = accept()
      if case .connected = accepted { return accepted }
      spare.renew()
      return accepted
    }
  }

  func renewSpare() { spare.withLock { $0.renew() } }

  /// Uses the spare descriptor, as `accept` fails with EMFILE even if no connection is pending.
  func turnAway(saying farewell: [UInt8]) -> TurningAway {
    spare.withLock {
      if $0.turnAway(from: descriptor, saying: farewell) { return .done }
      return $0.isOpen ? .nobodyWaits : .impossible
    }
  }

  func close(_ watch: (any Watch)?) {
    // While a child is being made it has copies of all descriptors: closing alone is not enough.
    if !isShared { Socket.shutDown(descriptor) }
    if let watch { watch.close() } else { Socket.close(descriptor) }
    file?.remove()
    spare.withLock { $0.close() }
  }
}
