import Glibc

/// The file of a listening Unix socket.
struct SocketFile {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Remembers the file that a listener has just made; nil for other addresses.
  init?(_ address: SocketAddress) {
    guard case .unix(let path) = address.place, let status = Self.status(path) else { return nil }
    self.path = path
    device = status.st_dev
    inode = status.st_ino
  }

  /// Removes the file, unless another has taken its place.
  func remove() {
    guard let status = Self.status(path), status.st_dev == device, status.st_ino == inode else {
      return
    }
    unsafe unlink(path)
  }

  /// Removes a socket that no process listens on; returns whether it did.
  static func removeIfStale(_ address: SocketAddress) -> Bool {
    guard case .unix(let path) = address.place, let status = status(path),
      status.st_mode & S_IFMT == S_IFSOCK
    else { return false }
    let probe = Socket.make(AF_UNIX)
    guard probe >= 0 else { return false }
    defer { Socket.close(probe) }
    let isRefused =
      unsafe address.withKernelForm { unsafe connect(probe, $0, $1) } != 0 && errno == ECONNREFUSED
    return unsafe isRefused && unlink(path) == 0
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return unsafe lstat(path, &status) == 0 ? status : nil
  }
}
