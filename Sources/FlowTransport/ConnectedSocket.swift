import CLinux
import Glibc

/// A socket that is connected and not yet a loop's.
///
/// Whoever makes one has to register it with a loop, which then closes it.
public struct ConnectedSocket: Sendable {
  package let descriptor: Int32

  /// The address of the other side.
  public let peer: SocketAddress

  package init(descriptor: Int32, peer: SocketAddress) {
    self.descriptor = descriptor
    self.peer = peer
  }

  /// Connects to `address` on the calling thread, waiting for at most the given time.
  init(
    connectingTo address: SocketAddress,
    within nanoseconds: UInt64
  ) throws(TransportError) {
    let deadline = SystemPlatform.shared.monotonicNanoseconds + nanoseconds
    var failure: TransportError?
    for place in try Self.places(of: address) {
      do throws(TransportError) {
        descriptor = try Dialing(place: place, deadline: deadline).dial()
        peer = place
        return
      } catch {
        failure = failure ?? error
      }
    }
    throw failure ?? TransportError("connect \(address)", ENOENT)
  }

  private static func places(
    of address: SocketAddress
  ) throws(TransportError) -> [SocketAddress] {
    guard case .name(let name, let port) = address.place else { return [address] }
    if address != address.withoutLocalName {
      return [address.withoutLocalName, SocketAddress(.ip6(host: .loopback, port: port))]
    }
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let outcome = unsafe getaddrinfo(name, String(port), &hints, &found)
    defer { if let found = unsafe found { unsafe freeaddrinfo(found) } }
    guard outcome == 0 else {
      let message = unsafe String(cString: gai_strerror(outcome)).lowercased()
      throw TransportError(call: "connect \(address)", message: message)
    }
    var places: [SocketAddress] = []
    var next = unsafe found
    while let entry = unsafe next?.pointee {
      var storage = sockaddr_storage()
      let kernelForm = unsafe UnsafeRawBufferPointer(
        start: entry.ai_addr,
        count: Int(entry.ai_addrlen)
      )
      unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyMemory(from: kernelForm) }
      if let place = SocketAddress(storage) { places.append(place) }
      unsafe next = unsafe entry.ai_next
    }
    return places
  }
}

/// Connects to one address, within a time.
private struct Dialing {
  let place: SocketAddress
  let deadline: UInt64

  func dial() throws(TransportError) -> Int32 {
    // A Unix socket connects at once, or has to wait for room in the listener's queue, which only
    // a blocking one can.
    let isUnix = place.family == AF_UNIX
    let descriptor = Socket.make(place.family, blocking: isUnix)
    if descriptor < 0 { throw TransportError("socket \(place)", errno) }
    if isUnix { setSendTimeout(descriptor) }
    var failure =
      unsafe place.withKernelForm { unsafe connect(descriptor, $0, $1) } == 0 ? 0 : errno
    if failure == EINPROGRESS || failure == EINTR { failure = outcome(descriptor) }
    if failure == EAGAIN { failure = ETIMEDOUT }
    if failure != 0 {
      Socket.close(descriptor)
      throw TransportError("connect \(place)", failure)
    }
    if isUnix { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
    Socket.sendAtOnce(descriptor)
    Socket.set(descriptor, KeepAlive.usual)
    return descriptor
  }

  /// Waits for a connection under way; 0 or the error.
  private func outcome(_ descriptor: Int32) -> Int32 {
    while true {
      let now = SystemPlatform.shared.monotonicNanoseconds
      let milliseconds = now < deadline ? (deadline - now) / 1_000_000 + 1 : 0
      var state = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      // After the deadline a connection that has been made meanwhile still counts.
      if unsafe poll(&state, 1, Int32(clamping: milliseconds)) > 0 { break }
      if milliseconds == 0 { return ETIMEDOUT }
    }
    var failure: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
    return failure
  }

  private func setSendTimeout(_ descriptor: Int32) {
    let now = SystemPlatform.shared.monotonicNanoseconds
    let microseconds = Int(max(1000, deadline > now ? (deadline - now) / 1000 : 0))
    var time = timeval(tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
    unsafe setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_SNDTIMEO,
      &time,
      socklen_t(MemoryLayout<timeval>.size)
    )
  }
}
