internal import Dispatch
internal import Glibc

/// A Dispatch source for each socket: for systems without epoll.
final class SourcePoller: Poller {
  private unowned let loop: EventLoop
  private var watches: [Int: Watch] = [:]

  init(loop: EventLoop) { self.loop = loop }

  func add(_ connection: Connection) {
    let watch = Watch(connection, loop)
    watches[connection.id] = watch
    watch.update(connection)
  }

  func update(_ connection: Connection) { watches[connection.id]?.update(connection) }

  func remove(_ connection: Connection) { watches.removeValue(forKey: connection.id)?.cancel() }

  func wake() {}
}

/// The sources of one connection. A suspended source can be neither released nor cancelled.
private final class Watch: @unchecked Sendable {  // touched only on the loop's queue
  private let descriptor: Int32
  private let queue: DispatchQueue
  private let connection: Unmanaged<Connection>
  private unowned let loop: EventLoop
  private let input: any DispatchSourceRead
  private var output: (any DispatchSourceWrite)?
  private var isReading = false
  private var isWriting = false
  private var sources = 1

  init(_ connection: Connection, _ loop: EventLoop) {
    descriptor = connection.descriptor
    queue = loop.queue
    self.connection = .passUnretained(connection)
    self.loop = loop
    input = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    input.setEventHandler { @Sendable [weak self] in self?.readable() }
    input.setCancelHandler { @Sendable in self.sourceEnded() }
  }

  private func readable() {
    loop.turn {
      let connection = connection.takeUnretainedValue()
      // After a hang-up exactly one event comes: go on by oneself.
      if connection.readAvailable() { loop.enqueueLater(connection) }
    }
  }

  private func writable() {
    loop.turn { connection.takeUnretainedValue().writable() }
  }

  func update(_ connection: Connection) {
    if connection.wantsInput != isReading {
      isReading = connection.wantsInput
      isReading ? input.resume() : input.suspend()
    }
    guard connection.wantsOutput != isWriting else { return }
    isWriting = connection.wantsOutput
    if output == nil { makeOutput() }
    isWriting ? output?.resume() : output?.suspend()
  }

  private func makeOutput() {
    let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { @Sendable [weak self] in self?.writable() }
    source.setCancelHandler { @Sendable in self.sourceEnded() }
    sources += 1
    output = source
  }

  func cancel() {
    input.cancel()
    if !isReading { input.resume() }
    output?.cancel()
    if !isWriting { output?.resume() }
    isReading = true
    isWriting = true
  }

  /// The descriptor's number may be used anew only when no source watches it.
  private func sourceEnded() {
    sources -= 1
    if sources == 0 { Glibc.close(descriptor) }
  }
}
