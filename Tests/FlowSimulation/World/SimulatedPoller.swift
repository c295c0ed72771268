import Dispatch
import FlowTransport

/// Wakes a loop when the world says so.
///
/// Unchecked: nothing else happens meanwhile.
final class SimulatedPoller: Poller, Ready, @unchecked Sendable {
  private unowned let world: World
  private let queue: DispatchQueue
  private weak var loop: EventLoop?
  private var works: [@Sendable () -> Void] = []
  private var due: UInt64?
  fileprivate var watches: [SimulatedWatch] = []

  /// The process whose loop it is, if that can be killed.
  let owner: Strand.Owner?
  /// Whether it does so now.
  var isBusy = false

  init(_ queue: DispatchQueue, _ world: World, owner: Strand.Owner?) {
    self.owner = owner
    self.queue = queue
    self.world = world
  }

  func start(_ loop: EventLoop) { self.loop = loop }

  func enqueue(_ work: @escaping @Sendable () -> Void) { works.append(work) }

  func arm(_ due: UInt64?) { self.due = due }

  func watch(
    _ descriptor: Int32,
    for owner: any Watched,
    interest: Interest
  ) throws(TransportError) -> any Watch {
    let watch = SimulatedWatch(descriptor, owner, interest, self, world)
    watches.append(watch)
    return watch
  }

  fileprivate func remove(_ watch: SimulatedWatch) {
    watches.removeAll { $0 === watch }
  }

  /// It has something to do now, or at its deadline.
  func time(now: UInt64) -> UInt64? {
    if isBusy { return nil }
    let isReady = !works.isEmpty || watches.contains { $0.isReady }
    return isReady ? now : due
  }

  /// Does one thing that is to be done.
  func serve() {
    queue.sync {
      let ready =
        works.isEmpty || world.dice.chance(50) ? watches.filter(\.isReady) : []
      if !ready.isEmpty, let loop {
        let some =
          world.dice.chance(30) ? Array(ready.prefix(world.dice.pick(1...ready.count))) : ready
        loop.turn { for watch in some { watch.deliver() } }
        // Who was served is behind those who were not.
        for watch in some where !watch.isClosed {
          remove(watch)
          watches.append(watch)
        }
        loop.armTimer()
      } else if !works.isEmpty {
        works.removeFirst()()
      } else if let due, due <= world.now {
        self.due = nil
        loop?.timerFired()
      }
    }
  }

  /// Closes all sockets behind the backs of those who have them, and lets them find out.
  func closeAll() {
    for watch in watches { watch.tear() }
  }

  func deliverWhatIsReady() {
    for watch in watches where !watch.isClosed && watch.isReady { watch.deliver() }
  }
}

/// What a loop has of a socket, or of a listener.
final class SimulatedWatch: Watch {
  let descriptor: Int32
  private var wantsRead: Bool
  private var wantsWrite: Bool
  fileprivate private(set) var isClosed = false
  private var isDetached = false
  private var isTorn = false
  private unowned let owner: any Watched
  private let giver: (any SignGiver)?
  private unowned let poller: SimulatedPoller
  private unowned let world: World

  fileprivate init(
    _ descriptor: Int32,
    _ owner: any Watched,
    _ interest: Interest,
    _ poller: SimulatedPoller,
    _ world: World
  ) {
    wantsRead = interest.contains(.read)
    wantsWrite = interest.contains(.write)
    giver = world.signGiver(descriptor)
    self.descriptor = descriptor
    self.owner = owner
    self.poller = poller
    self.world = world
  }

  /// What is to be reported now.
  private var signs: Signs {
    guard !isClosed, !isDetached, var signs = giver?.signs else { return Signs() }
    if isTorn {
      // Nobody would ever stop accepting.
      if giver is SimulatedListener { return Signs() }
      return Signs(isReadable: true, isWritable: true, isHungUp: true)
    }
    if !wantsRead { signs.isReadable = false }
    if !wantsWrite { signs.isWritable = false }
    return signs
  }

  fileprivate var isReady: Bool { signs.isAny }

  fileprivate func deliver() {
    let signs = signs
    guard signs.isAny else { return }
    var told: Readiness = []
    if signs.isReadable { told.insert(.readable) }
    if signs.isWritable { told.insert(.writable) }
    if signs.isHungUp { told.insert(.hungUp) }
    owner.ready(told)
  }

  func update(_ interest: Interest) {
    if isDetached && interest.isDisjoint(with: [.read, .write]) { return }
    isDetached = false
    wantsRead = interest.contains(.read)
    wantsWrite = interest.contains(.write)
  }

  func detach() { isDetached = true }

  fileprivate func tear() {
    isTorn = true
    world.close(descriptor)
  }

  func close() {
    if isClosed { return }
    isClosed = true
    poller.remove(self)
    world.close(descriptor)
  }
}

/// What a socket could be asked for now.
struct Signs {
  var isReadable = false
  var isWritable = false
  var isHungUp = false

  var isAny: Bool { isReadable || isWritable || isHungUp }
}

/// A socket, or a listener.
protocol SignGiver: AnyObject {
  var signs: Signs { get }
}
