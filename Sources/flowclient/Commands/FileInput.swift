import FlowTransport
import Glibc

final class FileInput {
  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws(ClientError) {
    self.path = path
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Self.failure(path) }
  }

  deinit { Glibc.close(descriptor) }

  /// Reads the next bytes; returns 0 at the end.
  func read(into place: UnsafeMutableRawBufferPointer) throws(ClientError) -> Int {
    while true {
      let count = unsafe Glibc.read(descriptor, place.baseAddress, place.count)
      if count >= 0 { return count }
      guard errno == EINTR else { throw Self.failure(path) }
    }
  }

  /// Returns the whole file, unless it exceeds `limit` bytes.
  func contents(upTo limit: Int) throws(ClientError) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer: [UInt8] = Array(repeating: 0, count: 64 * 1024)
    while bytes.count <= limit {
      let count = unsafe try buffer.withUnsafeMutableBufferPointer {
        (place) throws(ClientError) in
        unsafe try read(into: UnsafeMutableRawBufferPointer(place))
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
    return nil
  }

  private static func failure(_ path: String) -> ClientError {
    ClientError(.cannotRead, "cannot read \(path): \(TransportError("read", errno).message)")
  }
}
