import Dispatch
import Glibc

/// A DispatchSource for each descriptor: what there is where there is no epoll.
///
/// Unchecked: all but `watch` happens on the loop's queue.
final class DispatchSourcePoller: Poller, @unchecked Sendable {
  private static let checkInNanoseconds: UInt64 = 1_000_000_000

  private let queue: DispatchQueue
  private let timer: QueueTimer
  fileprivate private(set) weak var loop: EventLoop?
  private var halfClosed: [ObjectIdentifier: SourceWatch] = [:]
  private var isChecking = false

  init(queue: DispatchQueue) {
    self.queue = queue
    timer = QueueTimer(queue)
  }

  /// After a hang-up Dispatch reports one event and no more.
  var readsUntilEmpty: Bool { true }

  func start(_ loop: EventLoop) {
    self.loop = loop
    timer.start(loop)
  }

  func watch(
    _ descriptor: Int32,
    for owner: any Watched,
    interest: Interest
  ) throws(TransportError) -> any Watch {
    SourceWatch(descriptor, owner: owner, poller: self, queue: queue, interest: interest)
  }

  /// Dispatch tells of each descriptor when it likes.
  func deliverWhatIsReady() {}

  func enqueue(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

  func arm(_ due: UInt64?) { timer.arm(due) }

  /// Looks once a second whether the peer vanished: no source tells without spinning.
  fileprivate func check(_ watch: SourceWatch) {
    halfClosed[ObjectIdentifier(watch)] = watch
    scheduleCheck()
  }

  fileprivate func endCheck(_ watch: SourceWatch) {
    halfClosed[ObjectIdentifier(watch)] = nil
  }

  private func scheduleCheck() {
    guard let loop, !isChecking, !halfClosed.isEmpty else { return }
    isChecking = true
    loop.run(at: loop.now + Self.checkInNanoseconds) { [weak self] in
      guard let self else { return }
      isChecking = false
      for watch in Array(halfClosed.values) { watch.checkForHangUp() }
      scheduleCheck()
    }
  }
}

/// Unchecked: created anywhere, then used on the loop's queue only.
private final class SourceWatch: Watch, @unchecked Sendable {
  private let descriptor: Int32
  /// Owners keep their watch and outlive it.
  @safe private unowned(unsafe) let owner: any Watched  // memory 3
  private let poller: DispatchSourcePoller
  private let queue: DispatchQueue
  private let readSource: any DispatchSourceRead
  private var writeSource: (any DispatchSourceWrite)?
  private var reads: Bool
  private var writes = false
  private var sources = 1
  private var isClosed = false

  init(
    _ descriptor: Int32,
    owner: any Watched,
    poller: DispatchSourcePoller,
    queue: DispatchQueue,
    interest: Interest
  ) {
    self.descriptor = descriptor
    self.owner = owner
    self.poller = poller
    self.queue = queue
    reads = interest.contains(.read)
    readSource = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    readSource.setEventHandler { @Sendable [unowned self] in deliver(.readable) }
    // Keeps the watch until the descriptor may be closed.
    readSource.setCancelHandler { @Sendable [self] in sourceIsGone() }
    readSource.activate()
    if !reads { readSource.suspend() }
  }

  func update(_ interest: Interest) {
    if isClosed { return }
    let (wantsRead, wantsWrite) = (interest.contains(.read), interest.contains(.write))
    if wantsRead != reads {
      reads = wantsRead
      if reads {
        readSource.resume()
        readAgain()
      } else {
        readSource.suspend()
      }
    }
    if wantsWrite != writes {
      writes = wantsWrite
      if writes { resumeWriting() } else { writeSource?.suspend() }
    }
    if interest.contains(.hangUp) { poller.check(self) } else { poller.endCheck(self) }
  }

  private func resumeWriting() {
    if let writeSource { return writeSource.resume() }
    let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    source.setEventHandler { @Sendable [unowned self] in deliver(.writable) }
    source.setCancelHandler { @Sendable [self] in sourceIsGone() }
    sources += 1
    writeSource = source
    source.activate()
  }

  /// Sources are suspended with the interest; there is nothing more to take away.
  func detach() {}

  func readAgain() {
    queue.async { @Sendable [self] in deliver(.readable) }
  }

  func checkForHangUp() {
    var state = pollfd(fd: descriptor, events: 0, revents: 0)
    if unsafe poll(&state, 1, 0) > 0 { deliver(.hungUp) }
  }

  func close() {
    if isClosed { return }
    isClosed = true
    poller.endCheck(self)
    // The cancel handler of a suspended source waits for resume.
    readSource.cancel()
    if !reads { readSource.resume() }
    writeSource?.cancel()
    if !writes { writeSource?.resume() }
  }

  private func deliver(_ readiness: Readiness) {
    guard !isClosed, let loop = poller.loop else { return }
    loop.turn { owner.ready(readiness) }
    loop.armTimer()
  }

  private func sourceIsGone() {
    sources -= 1
    if sources == 0 { Glibc.close(descriptor) }
  }
}
