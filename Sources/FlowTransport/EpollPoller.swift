#if os(Linux)
internal import CLinux
internal import Dispatch
internal import Glibc
internal import Synchronization

/// An epoll set watched by one Dispatch source; while traffic flows the queue stays in the wait.
///
/// Three system calls an event at low rates, where a source for each socket takes eleven.
final class EpollPoller: Poller {
  /// How long the queue stays in the wait after the last event.
  private static let linger = 1_000_000

  private unowned let loop: EventLoop
  private let epoll: Int32
  private let wakeUp: Int32
  private let source: any DispatchSourceRead
  private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: 256)
  private let isWaiting = Atomic<Bool>(false)

  /// A connection that hung up while it is paused is not in the set: a hang-up can not be masked.
  private static let detached = UInt32.max

  init(loop: EventLoop) {
    self.loop = loop
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeUp = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
    precondition(epoll >= 0 && wakeUp >= 0, "no descriptors are left for an event loop")
    source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: loop.queue)
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(ptr: nil))
    epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event)
  }

  func start() {
    let box = LoopBox(loop)
    source.setEventHandler { @Sendable in (box.loop?.poller as? EpollPoller)?.run() }
    let (epoll, wakeUp) = (epoll, wakeUp)
    source.setCancelHandler { @Sendable in
      Glibc.close(epoll)
      Glibc.close(wakeUp)
    }
    source.activate()
  }

  deinit {
    source.cancel()
    events.deallocate()
  }

  private func run() {
    var count = epoll_wait(epoll, events, 256, 0)
    while count > 0 {
      var isWoken = false
      loop.turn {
        for index in 0..<Int(count) {
          let event = events[index]
          guard let pointer = event.data.ptr else {
            var value: UInt64 = 0
            Glibc.read(wakeUp, &value, 8)
            isWoken = true
            continue
          }
          handle(event.events, Unmanaged<Connection>.fromOpaque(pointer).takeUnretainedValue())
        }
      }
      if isWoken { break }
      isWaiting.store(true, ordering: .sequentiallyConsistent)
      count = flow_epoll_wait(epoll, events, 256, min(loop.untilDeadline, Self.linger))
      isWaiting.store(false, ordering: .relaxed)
      loop.turnIfDue()
    }
    loop.armTimer()
  }

  private func handle(_ events: UInt32, _ connection: Connection) {
    if events & EPOLLOUT.rawValue != 0 { connection.writable() }
    if events & EPOLLIN.rawValue != 0, connection.wantsInput {
      _ = connection.readAvailable()
    } else if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 {
      if connection.wantsInput {
        _ = connection.readAvailable()
      } else if connection.isReading || connection.hasInputEnded {
        connection.hungUp()
      } else {
        detach(connection)
      }
    }
  }

  func wake() {
    guard isWaiting.load(ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    Glibc.write(wakeUp, &one, 8)
  }

  private func wanted(_ connection: Connection) -> UInt32 {
    (connection.wantsInput ? EPOLLIN.rawValue : 0)
      | (connection.wantsOutput ? EPOLLOUT.rawValue : 0)
  }

  private func event(_ connection: Connection) -> epoll_event {
    let pointer = Unmanaged.passUnretained(connection).toOpaque()
    return epoll_event(events: wanted(connection), data: epoll_data(ptr: pointer))
  }

  func add(_ connection: Connection) {
    var event = event(connection)
    connection.watched = event.events
    epoll_ctl(epoll, EPOLL_CTL_ADD, connection.descriptor, &event)
  }

  func update(_ connection: Connection) {
    let events = wanted(connection)
    guard events != connection.watched else { return }
    var event = event(connection)
    let isDetached = connection.watched == Self.detached
    epoll_ctl(
      epoll,
      isDetached ? EPOLL_CTL_ADD : EPOLL_CTL_MOD,
      connection.descriptor,
      &event
    )
    connection.watched = events
  }

  private func detach(_ connection: Connection) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, connection.descriptor, nil)
    connection.watched = Self.detached
  }

  func remove(_ connection: Connection) { Glibc.close(connection.descriptor) }
}
#endif
