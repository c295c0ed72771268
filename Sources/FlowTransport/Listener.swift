import CLinux
import Glibc

extension EventLoop {
  /// Listens, and gives each connection to `accept`, on the queue; there it gets its handler.
  ///
  /// A connection that leaves `accept` without a handler is closed. May be called on any thread.
  /// `localhost` is 127.0.0.1; other names are refused. A Unix socket's file is replaced if nobody
  /// answers on it any more, and removed by `close()`.
  ///
  /// Whoever comes when the process has no descriptors left is told `farewell` and dropped, of which
  /// `turnedAway` is told, on the queue.
  public func listen(
    on address: SocketAddress,
    farewell: [UInt8] = [],
    turnedAway: @escaping () -> Void = {},
    accept: @escaping (Connection) -> Void
  ) throws(TransportError) -> Listener {
    let listener = try Listener(address.withoutLocalName, loop: self, accept: accept)
    listener.farewell = farewell
    listener.turnedAway = turnedAway
    post { listener.start() }
    return listener
  }
}

/// A socket that takes connections, until it is closed.
///
/// Unchecked: its variables are touched on the loop's queue only.
public final class Listener: @unchecked Sendable {
  /// Where it listens, with the port that the kernel chose for 0.
  public let address: SocketAddress

  private weak let loop: EventLoop?
  private let descriptor: Int32
  private let file: SocketFile?
  private var accept: ((Connection) -> Void)?
  fileprivate var farewell: [UInt8] = []
  fileprivate var turnedAway: (() -> Void)?
  private var watch: (any Watch)?
  private var spare = SpareDescriptor()
  private var isClosed = false

  fileprivate init(
    _ address: SocketAddress,
    loop: EventLoop,
    accept: @escaping (Connection) -> Void
  ) throws(TransportError) {
    let descriptor = try Self.bind(address)
    self.loop = loop
    self.descriptor = descriptor
    self.accept = accept
    self.address = Socket.localAddress(descriptor) ?? address
    file = SocketFile(address)
    do {
      watch = try loop.poller.watch(descriptor, for: self, interest: [])
    } catch {
      Socket.close(descriptor)
      file?.remove()
      throw error
    }
  }

  /// Takes no more connections; those that are open stay so.
  ///
  /// From any thread: at once on the loop's queue, else as soon as that is free.
  public func close() {
    guard let loop else { return }
    if !loop.isCurrent { return loop.post { self.close() } }
    loop.remove(self)
    abandon()
  }

  fileprivate func start() {
    if isClosed { return }
    loop?.add(self)
    watch?.update(.read)
  }

  /// Closes without a loop to tell.
  func abandon() {
    if isClosed { return }
    isClosed = true
    // While a child is being made it has copies of all descriptors: closing alone is not enough.
    Socket.shutDown(descriptor)
    watch?.close()
    watch = nil
    accept = nil
    turnedAway = nil
    file?.remove()
    spare.close()
  }

  private static func bind(_ address: SocketAddress) throws(TransportError) -> Int32 {
    if case .name(let name, _) = address.place {
      let message = "'\(name)' is a name, expected an address of this machine or localhost"
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
    // Those that are accepted inherit it.
    Socket.sendAtOnce(descriptor)
    Socket.set(descriptor, KeepAlive.usual)
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
}

extension Listener: Watched {
  func ready(_ readiness: Readiness) {
    for _ in 0..<256 {
      if isClosed { return }
      var accepted: Int32 = -1
      let peer = unsafe Socket.address {
        accepted = unsafe flow_accept(descriptor, $0, $1)
        return accepted >= 0
      }
      if let peer {
        open(accepted, SocketAddress(peer) ?? address)
        continue
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: if !shed() { return }
      default: return
      }
    }
    watch?.readAgain()
  }

  private func open(_ accepted: Int32, _ peer: SocketAddress) {
    guard let loop else { return Socket.close(accepted) }
    let connection = Connection(accepted, peer: peer, loop: loop)
    accept?(connection)
    connection.register()
    connection.begin()
  }

  /// Turns one connection away for want of descriptors; returns whether there may be more.
  ///
  /// Left in the queue it would be reported again and again. `accept` says EMFILE even if nobody
  /// waits; only the spare descriptor tells.
  private func shed() -> Bool {
    if spare.turnAway(from: descriptor, saying: farewell) {
      turnedAway?()
      return true
    }
    if spare.isOpen { return false }
    // Somebody else took the descriptor: try again later rather than spin.
    watch?.update([])
    loop?.run(at: EventLoop.monotonicNanoseconds + 100_000_000) { [weak self] in
      self?.watch?.update(.read)
    }
    return false
  }
}
