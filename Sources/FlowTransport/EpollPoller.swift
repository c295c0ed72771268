import CLinux
import Dispatch
import Glibc
import Synchronization

/// An epoll set of our own, watched by one DispatchSource; while traffic flows the queue lingers in
/// the kernel instead of going back to Dispatch, which takes two changes of threads.
///
/// Unchecked: all but `enqueue` and `watch` happens on the loop's queue.
@safe
final class EpollPoller: Poller, @unchecked Sendable {
  /// How long it polls for more traffic, which serves a peer with twenty values a second without
  /// Dispatch.
  private static let lingerInNanoseconds: UInt64 = 50_000_000
  /// How long other work on the queue, which is not posted and so unknown here, may have to wait.
  private static let stayInNanoseconds: UInt64 = 50_000_000
  private static let batch = 256

  private let epoll: Int32
  private let wakeUp: Int32
  private let queue: DispatchQueue
  private let source: any DispatchSourceRead
  private let timer: QueueTimer
  private let events: UnsafeMutablePointer<epoll_event>
  private let lingering = Atomic<Bool>(false)
  private let queuedWork = Atomic<Int>(0)
  private weak var loop: EventLoop?
  private var isDelivering = false
  /// Closed while delivering; events later in the batch may still point to them.
  private var closed: [EpollWatch] = []

  init(queue: DispatchQueue) {
    let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    let wakeUp = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
    precondition(epoll >= 0 && wakeUp >= 0, "epoll_create1 or eventfd: errno \(errno)")
    self.epoll = epoll
    self.wakeUp = wakeUp
    self.queue = queue
    timer = QueueTimer(queue)
    unsafe events = .allocate(capacity: Self.batch)
    source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
    var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(ptr: nil))
    unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, wakeUp, &event)
    source.setEventHandler { @Sendable [weak self] in self?.serve() }
    source.setCancelHandler { @Sendable in
      Glibc.close(epoll)
      Glibc.close(wakeUp)
    }
  }

  deinit {
    source.cancel()
    unsafe events.deallocate()
  }

  func start(_ loop: EventLoop) {
    self.loop = loop
    timer.start(loop)
    source.activate()
  }

  func watch(
    _ descriptor: Int32,
    for owner: any Watched,
    interest: Interest
  ) throws(TransportError) -> any Watch {
    let watch = EpollWatch(descriptor, owner: owner, poller: self)
    guard watch.arm(interest, on: epoll) else {
      throw TransportError("epoll_ctl for descriptor \(descriptor)", errno)
    }
    return watch
  }

  func enqueue(_ work: @escaping @Sendable () -> Void) {
    queuedWork.add(1, ordering: .sequentiallyConsistent)
    queue.async { @Sendable [self] in
      queuedWork.subtract(1, ordering: .relaxed)
      work()
    }
    guard lingering.load(ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    unsafe write(wakeUp, &one, 8)
  }

  func arm(_ due: UInt64?) { timer.arm(due) }

  fileprivate func update(_ watch: EpollWatch, _ interest: Interest) {
    watch.arm(interest, on: epoll)
  }

  fileprivate func close(_ watch: EpollWatch) {
    if isDelivering { closed.append(watch) }
    // While a child is being made it has copies of all descriptors: closing alone is not enough.
    epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, nil)
    Glibc.close(watch.descriptor)
  }

  fileprivate func detach(_ watch: EpollWatch) {
    epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, nil)
  }

  private func serve() {
    guard let loop else { return }
    let leave = loop.now + Self.stayInNanoseconds
    var ready = wait(0)
    while ready > 0 {
      let wasWoken = deliver(ready, loop)
      let now = loop.now
      if wasWoken || now >= leave { break }
      ready = linger(loop, now)
      if ready == 0, loop.isDue {
        loop.turn {}
        ready = wait(0)
      }
    }
    loop.armTimer()
  }

  /// Waits for more traffic, not past the next deadline, not at all if work is queued.
  private func linger(_ loop: EventLoop, _ now: UInt64) -> Int {
    var patience = Self.lingerInNanoseconds
    if let due = loop.nextDue { patience = due > now ? min(patience, due - now) : 0 }
    // Whoever queues work counts it first and looks at `lingering` last, so one of the two sees
    // the other.
    lingering.store(true, ordering: .sequentiallyConsistent)
    defer { lingering.store(false, ordering: .relaxed) }
    if queuedWork.load(ordering: .sequentiallyConsistent) > 0 { return -1 }
    return wait(Int(patience))
  }

  private func wait(_ nanoseconds: Int) -> Int {
    unsafe Int(flow_epoll_wait(epoll, events, Int32(Self.batch), nanoseconds))
  }

  /// Makes a turn of what is ready; returns whether the wake-up was part of it.
  private func deliver(_ ready: Int, _ loop: EventLoop) -> Bool {
    var wasWoken = false
    loop.turn { wasWoken = deliver(ready) }
    return wasWoken
  }

  /// Delivers the first events; returns whether the wake-up was one of them.
  private func deliver(_ ready: Int) -> Bool {
    var wasWoken = false
    isDelivering = true
    for index in 0..<ready {
      let event = unsafe events[index]
      guard let pointer = unsafe event.data.ptr else {
        var count: UInt64 = 0
        unsafe read(wakeUp, &count, 8)
        wasWoken = true
        continue
      }
      // memory 9
      let watch = unsafe Unmanaged<EpollWatch>.fromOpaque(pointer).takeUnretainedValue()
      unsafe watch.deliver(event.events)
    }
    isDelivering = false
    if !closed.isEmpty { closed.removeAll(keepingCapacity: true) }
    return wasWoken
  }

  /// All of them once: the set tells first of those that it has not told of for longest.
  func deliverWhatIsReady() {
    guard let loop else { return }
    var rounds = loop.openCount / Self.batch + 1
    var ready = wait(0)
    while ready > 0 {
      // Whether work is queued is seen from the count of it.
      _ = deliver(ready)
      rounds -= 1
      ready = ready == Self.batch && rounds > 0 ? wait(0) : 0
    }
  }
}

/// Unchecked: created anywhere, then used on the loop's queue only.
private final class EpollWatch: Watch, @unchecked Sendable {
  /// Owners keep their watch and outlive it: they are freed at the end of a turn.
  @safe private unowned(unsafe) let owner: any Watched  // memory 3
  private unowned let poller: EpollPoller
  let descriptor: Int32
  /// The events that epoll was told to report last.
  private var armed: UInt16 = 0
  private var isClosed = false
  private var isDetached = true

  init(_ descriptor: Int32, owner: any Watched, poller: EpollPoller) {
    self.descriptor = descriptor
    self.owner = owner
    self.poller = poller
  }

  func update(_ interest: Interest) {
    if isClosed || isDetached && interest.isDisjoint(with: [.read, .write]) { return }
    poller.update(self, interest)
  }

  @discardableResult
  func arm(_ interest: Interest, on epoll: Int32) -> Bool {
    let wanted =
      (interest.contains(.read) ? EPOLLIN.rawValue : 0)
      | (interest.contains(.write) ? EPOLLOUT.rawValue : 0)
    if wanted == UInt32(armed), !isDetached { return true }
    let pointer = unsafe Unmanaged.passUnretained(self).toOpaque()
    var event = unsafe epoll_event(events: wanted, data: epoll_data_t(ptr: pointer))
    let operation = isDetached ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
    armed = UInt16(wanted)
    isDetached = false
    return unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0
  }

  func deliver(_ events: UInt32) {
    if isClosed { return }
    var readiness: Readiness = []
    if events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
    if events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
    if events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 { readiness.insert(.hungUp) }
    owner.ready(readiness)
  }

  func detach() {
    if isClosed || isDetached { return }
    isDetached = true
    poller.detach(self)
  }

  func close() {
    if isClosed { return }
    isClosed = true
    poller.close(self)
  }
}
