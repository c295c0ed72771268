package import FlowTransport

/// The machine, environment, streams and signals of one run of the program.
///
/// `SystemSurroundings` are those of the process. Its methods may be called on any thread.
package protocol Surroundings: AnyObject, Sendable {
  var platform: any Platform { get }

  /// The executor of the program's tasks; nil is Swift's default.
  var executor: (any TaskExecutor)? { get }

  /// A variable of the environment.
  func environment(_ name: String) -> String?

  // MARK: Streams

  var inputIsTerminal: Bool { get }
  var outputIsTerminal: Bool { get }
  var errorIsTerminal: Bool { get }

  /// Writes all of `bytes` to standard output, waiting for its reader; without a reader, ends as
  /// SIGPIPE does.
  func writeOutput(_ bytes: UnsafeRawBufferPointer)

  /// Writes to standard error, ignoring failures.
  func writeError(_ bytes: UnsafeRawBufferPointer)

  /// Reads what there is of standard input, waiting for something; 0 is the end.
  func readInput(into buffer: UnsafeMutableRawBufferPointer) throws(ClientError) -> Int

  /// Ends the program as soon as standard output has no reader.
  func endWhenOutputBreaks()

  // MARK: Signals

  /// Calls `act` at each such signal from now on, until what is returned is let go.
  ///
  /// - Returns: nil if whoever began the program has it ignore that signal.
  func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void) -> Any?

  /// Ends the program as the signal's default action does.
  func end(by number: Int32)
}

extension Surroundings {
  func writeOutput(_ text: String) {
    var text = text
    text.withUTF8 { unsafe writeOutput(UnsafeRawBufferPointer($0)) }
  }

  func writeError(_ text: String) {
    var text = text
    text.withUTF8 { unsafe writeError(UnsafeRawBufferPointer($0)) }
  }

  /// All of standard input, or of a file.
  func contents(of path: String) throws(ClientError) -> [UInt8] {
    guard path == "-" else {
      do throws(TransportError) {
        return try platform.contents(ofFile: path)
      } catch {
        throw ClientError(.cannotRead, "cannot read \(path): \(error.message)")
      }
    }
    var bytes: [UInt8] = []
    var buffer: [UInt8] = Array(repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe try buffer.withUnsafeMutableBufferPointer {
        (place) throws(ClientError) in
        unsafe try readInput(into: UnsafeMutableRawBufferPointer(place))
      }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= WholeFile.mostBytes else {
        let most = "\(WholeFile.mostBytes >> 20) MiB"
        throw ClientError(.cannotRead, "cannot read standard input: it has more than \(most)")
      }
    }
  }
}
