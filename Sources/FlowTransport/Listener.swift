internal import CLinux
internal import Dispatch
internal import Glibc

/// A socket that takes connections for a loop.
public final class Listener {
  /// The real address, also where port 0 was asked for.
  public let address: SocketAddress

  private let descriptor: Int32
  private let source: any DispatchSourceRead
  private unowned let loop: EventLoop
  private let accept: (Connection) -> Void
  /// Given up for a moment when no other is left, to take a connection and turn it away.
  private var spare = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
  private var isClosed = false

  init(
    _ address: SocketAddress,
    loop: EventLoop,
    accept: @escaping (Connection) -> Void
  ) throws(TransportError) {
    descriptor = try Self.open(address)
    self.loop = loop
    self.accept = accept
    self.address =
      address.family == AF_UNIX ? address : SocketAddress(of: descriptor, getsockname) ?? address
    source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: loop.queue)
    let (descriptor, spare) = (descriptor, spare)
    let box = WeakListener(self)
    source.setEventHandler { @Sendable in box.listener?.ready() }
    source.setCancelHandler { @Sendable in
      Glibc.close(descriptor)
      if spare >= 0 { Glibc.close(spare) }
    }
    source.activate()
  }

  deinit { close() }

  /// Takes no more connections.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    source.cancel()
    if case .unix(let path) = address.kind { unlink(path) }
  }

  private static func open(_ address: SocketAddress) throws(TransportError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, type, 0)
    guard descriptor >= 0 else { throw TransportError("socket for \(address)", errno) }
    var one: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4)
    if address.family == AF_INET6 {
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, 4)
    }
    if case .unix(let path) = address.kind { removeStaleSocket(address, path) }
    let bound = address.withSockaddr { Glibc.bind(descriptor, $0, $1) }
    guard bound == 0 else {
      let error = TransportError("bind \(address)", errno)
      Glibc.close(descriptor)
      throw error
    }
    guard Glibc.listen(descriptor, 4096) == 0 else {
      let error = TransportError("listen \(address)", errno)
      Glibc.close(descriptor)
      throw error
    }
    return descriptor
  }

  /// A socket file that nobody answers on is left over from a server that was killed.
  private static func removeStaleSocket(_ address: SocketAddress, _ path: String) {
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { return }
    defer { Glibc.close(probe) }
    let result = address.withSockaddr { Glibc.connect(probe, $0, $1) }
    if result != 0, errno == ECONNREFUSED { unlink(path) }
  }

  private func ready() {
    loop.turn {
      for _ in 0..<256 where !isClosed {
        let socket = flow_accept(descriptor)
        if socket >= 0 {
          accept(loop.adopt(socket))
          continue
        }
        switch errno {
        case EINTR, ECONNABORTED: continue
        case EMFILE, ENFILE:
          guard turnOneAway() else { return }
        default: return
        }
      }
    }
  }

  /// With no descriptor left: takes one connection and closes it, so that the backlog moves on.
  private func turnOneAway() -> Bool {
    guard spare >= 0 else { return false }
    Glibc.close(spare)
    let socket = flow_accept(descriptor)
    if socket >= 0 { Glibc.close(socket) }
    // The lowest free number is the one just given up, which the cancel handler knows.
    spare = Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    return socket >= 0
  }
}

private final class WeakListener: @unchecked Sendable {  // read only on the loop's queue
  weak var listener: Listener?
  init(_ listener: Listener) { self.listener = listener }
}
