import FlowJournal
import Synchronization

/// A disk in memory that loses power, tears writes, fails, fills up and is damaged.
final class MemoryDisk: JournalFiles {
  enum Call: Hashable, Sendable {
    case list, make, open, rename, remove, syncNames, write, sync, read, truncate
  }

  struct Fault: Sendable {
    var call: Call
    /// Files whose names begin so.
    var prefix = ""
    /// The number of calls that succeed before.
    var after = 0
    /// The number of calls that fail then.
    var count = 1
    var isFull = false
  }

  struct Event: Equatable, Sendable {
    var call: Call
    var file: String
  }

  private struct State: Sendable {
    var image = DiskImage()
    var dice: JournalDice
    var calls = 0
    /// The number of the call at which the power goes.
    var cut: Int?
    var isOff = false
    var faults: [Fault] = []
    var capacity = Int.max
    var isLocked = false
    var log: [Event]?
    var written = 0
    var copied = 0
  }

  private let state: Mutex<State>
  /// Called before each call, outside of the lock.
  private let hook = Mutex<(@Sendable (Call) -> Void)?>(nil)

  init(seed: UInt64 = 0) { state = Mutex(State(dice: JournalDice(seed: seed))) }

  /// A disk with the same files.
  func copy() -> MemoryDisk {
    let copy = MemoryDisk()
    let image = state.withLock { $0.image }
    copy.state.withLock { $0.image = image }
    return copy
  }

  // MARK: The test

  var calls: Int { state.withLock { $0.calls } }

  func onCall(_ body: (@Sendable (Call) -> Void)?) { hook.withLock { $0 = body } }

  /// Cuts the power at a call; from then on every call fails until `restart`.
  func cutPower(afterCalls count: Int) { state.withLock { $0.cut = $0.calls + count } }

  func keepPower() { state.withLock { $0.cut = nil } }

  var isOff: Bool { state.withLock { $0.isOff } }

  /// Loses what is not synced, in part, and is on again.
  func restart() {
    state.withLock { state in
      state.image.losePower(&state.dice)
      state.cut = nil
      state.isOff = false
      state.isLocked = false
    }
  }

  func fail(_ fault: Fault) { state.withLock { $0.faults.append(fault) } }

  func heal() { state.withLock { $0.faults = [] } }

  func limit(to bytes: Int) { state.withLock { $0.capacity = bytes } }

  func startLog() { state.withLock { $0.log = [] } }

  var log: [Event] { state.withLock { $0.log ?? [] } }

  /// The bytes that were written, but for the zeros of new and recycled files, and those of them
  /// that copied values.
  var written: (all: Int, copies: Int) { state.withLock { ($0.written, $0.copied) } }

  var fileNames: [String] { state.withLock { $0.image.names.keys.sorted() } }

  var size: Int { state.withLock { $0.image.size } }

  func contents(_ name: String) -> [UInt8] {
    state.withLock { state in
      state.image.names[name].flatMap { state.image.nodes[$0]?.bytes } ?? []
    }
  }

  /// Changes what a file has, as damage does: on the disk and in the kernel's memory.
  func damage(_ name: String, _ body: (inout [UInt8]) -> Void) {
    var bytes = contents(name)
    body(&bytes)
    let changed = bytes
    state.withLock { state in
      guard let node = state.image.names[name] else { return }
      state.image.nodes[node]?.bytes = changed
      state.image.nodes[node]?.safe = changed
      state.image.nodes[node]?.dirty = [:]
    }
  }

  func flipBit(_ name: String, _ bit: Int) {
    damage(name) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
  }

  func makeUnreadable(_ name: String, _ range: Range<Int>) {
    state.withLock { state in
      guard let node = state.image.names[name] else { return }
      state.image.nodes[node]?.unreadable.append(range)
    }
  }

  func lose(_ name: String) {
    state.withLock { state in
      state.image.change(.remove(name))
      state.image.syncNames()
    }
  }

  func exchange(_ name: String, _ other: String) {
    state.withLock { state in
      let node = state.image.names[name]
      state.image.names[name] = state.image.names[other]
      state.image.names[other] = node
      state.image.syncNames()
    }
  }

  /// Puts a copy of one file in the place of another.
  func copy(_ name: String, over other: String) {
    let bytes = contents(name)
    damage(other) { $0 = bytes }
  }

  /// Adds a name outside of the folder, as a backup does.
  func link(_ name: String) {
    state.withLock { state in
      guard let node = state.image.names[name] else { return }
      state.image.nodes[node]?.links += 1
    }
  }

  // MARK: Calls

  private func enter(_ call: Call, _ file: String) throws(FileError) {
    hook.withLock { $0 }?(call)
    let failure: FileError? = state.withLock { state in
      state.calls += 1
      state.log?.append(Event(call: call, file: file))
      if let cut = state.cut, state.calls >= cut { state.isOff = true }
      if state.isOff { return FileError("\(call)", file, errno: 5, message: "the power is off") }
      for place in state.faults.indices {
        let fault = state.faults[place]
        guard fault.call == call, file.hasPrefix(fault.prefix), fault.count > 0 else { continue }
        if fault.after > 0 {
          state.faults[place].after -= 1
          continue
        }
        state.faults[place].count -= 1
        let message = fault.isFull ? "no space left" : "input/output error"
        return FileError(
          "\(call)",
          file,
          errno: fault.isFull ? 28 : 5,
          message: message,
          isFull: fault.isFull
        )
      }
      return nil
    }
    if let failure { throw failure }
  }

  private func missing(_ call: String, _ name: String) -> FileError {
    FileError(call, name, errno: 2, message: "no such file")
  }

  func list() throws(FileError) -> [String] {
    try enter(.list, "")
    return fileNames
  }

  func make(_ name: String) throws(FileError) -> any JournalFile {
    try enter(.make, name)
    let node: Int? = state.withLock { state in
      state.image.names[name] == nil ? state.image.make(name) : nil
    }
    guard let node else { throw FileError("make", name, errno: 17, message: "file exists") }
    return MemoryFile(disk: self, node: node)
  }

  func open(_ name: String) throws(FileError) -> any JournalFile {
    try enter(.open, name)
    guard let node = state.withLock({ $0.image.names[name] }) else { throw missing("open", name) }
    return MemoryFile(disk: self, node: node)
  }

  func rename(_ name: String, to new: String) throws(FileError) {
    try enter(.rename, name)
    guard state.withLock({ $0.image.names[name] }) != nil else { throw missing("rename", name) }
    state.withLock { $0.image.change(.rename(name, new)) }
  }

  func remove(_ name: String) throws(FileError) {
    try enter(.remove, name)
    guard state.withLock({ $0.image.names[name] }) != nil else { throw missing("remove", name) }
    state.withLock { $0.image.change(.remove(name)) }
  }

  func syncDirectory() throws(FileError) {
    try enter(.syncNames, "")
    state.withLock { $0.image.syncNames() }
  }

  func spaceLeft() throws(FileError) -> Int { state.withLock { $0.capacity - $0.image.size } }

  func lock() throws(FileError) -> Bool {
    state.withLock { state in
      if state.isLocked { return false }
      state.isLocked = true
      return true
    }
  }

  func unlock() { state.withLock { $0.isLocked = false } }

  func lockOwner() -> String { "pid 1" }

  fileprivate func name(_ node: Int) -> String {
    state.withLock { $0.image.names.first { $0.value == node }?.key ?? "" }
  }

  fileprivate func size(_ node: Int) -> Int {
    state.withLock { $0.image.nodes[node]?.bytes.count ?? 0 }
  }

  fileprivate func links(_ node: Int) -> Int {
    state.withLock { $0.image.nodes[node]?.links ?? 0 }
  }

  fileprivate func write(
    _ file: String,
    _ node: Int,
    _ bytes: [UInt8],
    at offset: Int
  ) throws(FileError) {
    do throws(FileError) {
      try enter(.write, file)
    } catch {
      // A write that fails may have reached the disk, or parts of it.
      let isWritten = state.withLock { $0.calls == $0.cut && $0.dice.chance(80) }
      if isWritten { state.withLock { $0.image.write(bytes, at: offset, to: node) } }
      throw error
    }
    let isFull: Bool = state.withLock { state in
      let grown = offset + bytes.count - (state.image.nodes[node]?.bytes.count ?? 0)
      if grown > 0, state.image.size + grown > state.capacity { return true }
      state.image.write(bytes, at: offset, to: node)
      if bytes.contains(where: { $0 != 0 }) {
        state.written += bytes.count
        if file.hasPrefix("free-") { state.copied += bytes.count }
      }
      return false
    }
    if isFull {
      throw FileError("write", file, errno: 28, message: "no space left", isFull: true)
    }
  }

  fileprivate func sync(_ file: String, _ node: Int) throws(FileError) {
    try enter(.sync, file)
    state.withLock { $0.image.sync(node) }
  }

  fileprivate func truncate(_ file: String, _ node: Int, to size: Int) throws(FileError) {
    try enter(.truncate, file)
    state.withLock { $0.image.truncate(node, to: size) }
  }

  fileprivate func read(
    _ file: String,
    _ node: Int,
    at offset: Int,
    count: Int
  ) throws(FileError) -> [UInt8] {
    try enter(.read, file)
    let bytes: [UInt8]? = state.withLock { state in
      guard let node = state.image.nodes[node] else { return [] }
      let range = offset..<offset + count
      guard !node.unreadable.contains(where: { $0.overlaps(range) }) else { return nil }
      guard offset < node.bytes.count else { return [] }
      return Array(node.bytes[offset..<min(offset + count, node.bytes.count)])
    }
    guard let bytes else {
      throw FileError("read", file, errno: 5, message: "input/output error")
    }
    return bytes
  }
}

private final class MemoryFile: JournalFile {
  private let disk: MemoryDisk
  private let node: Int

  init(disk: MemoryDisk, node: Int) {
    self.disk = disk
    self.node = node
  }

  func size() throws(FileError) -> Int { disk.size(node) }

  func links() throws(FileError) -> Int { disk.links(node) }

  func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
    try disk.write(disk.name(node), node, bytes, at: offset)
  }

  func sync() throws(FileError) { try disk.sync(disk.name(node), node) }

  func read(at offset: Int, count: Int, isDirect: Bool) throws(FileError) -> [UInt8] {
    try disk.read(disk.name(node), node, at: offset, count: count)
  }

  func truncate(to size: Int) throws(FileError) {
    try disk.truncate(disk.name(node), node, to: size)
  }
}
