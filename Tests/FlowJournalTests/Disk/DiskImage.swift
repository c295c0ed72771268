/// The contents of a simulated disk: what is safe, and what a loss of power may take.
struct DiskImage: Sendable {
  static let sector = 512

  struct Node: Sendable {
    /// What a loss of power leaves in any case.
    var safe: [UInt8] = []
    /// What readers see.
    var bytes: [UInt8] = []
    /// For each sector that is not synced the contents it had in between.
    var dirty: [Int: [[UInt8]]] = [:]
    /// The bytes that cannot be read.
    var unreadable: [Range<Int>] = []
    /// The number of names, those outside of the folder included.
    var links = 1
  }

  enum Renaming: Sendable {
    case add(String, Int)
    case remove(String)
    case rename(String, String)
  }

  var nodes: [Int: Node] = [:]
  var names: [String: Int] = [:]
  private var safeNames: [String: Int] = [:]
  /// Changes of names that are not synced, in order.
  private var renamings: [Renaming] = []
  private var nextNode = 1

  mutating func make(_ name: String) -> Int {
    nodes[nextNode] = Node()
    change(.add(name, nextNode))
    nextNode += 1
    return nextNode - 1
  }

  mutating func change(_ renaming: Renaming) {
    Self.apply(renaming, to: &names)
    renamings.append(renaming)
  }

  private static func apply(_ renaming: Renaming, to names: inout [String: Int]) {
    switch renaming {
    case .add(let name, let node): names[name] = node
    case .remove(let name): names[name] = nil
    case .rename(let old, let new): names[new] = names.removeValue(forKey: old)
    }
  }

  mutating func syncNames() {
    safeNames = names
    renamings = []
  }

  mutating func write(_ bytes: [UInt8], at offset: Int, to number: Int) {
    guard var node = nodes.removeValue(forKey: number), !bytes.isEmpty else { return }
    let end = offset + bytes.count
    if node.bytes.count < end {
      node.bytes += [UInt8](repeating: 0, count: end - node.bytes.count)
    }
    for sector in offset / Self.sector...(end - 1) / Self.sector {
      if node.dirty[sector] == nil {
        node.dirty[sector] = []
      } else {
        let start = sector * Self.sector
        let before = Array(node.bytes[start..<min(start + Self.sector, node.bytes.count)])
        node.dirty[sector]?.append(before)
      }
    }
    node.bytes.replaceSubrange(offset..<end, with: bytes)
    nodes[number] = node
  }

  mutating func sync(_ number: Int) {
    guard var node = nodes.removeValue(forKey: number) else { return }
    if node.safe.count != node.bytes.count {
      node.safe = node.bytes
    } else {
      for sector in node.dirty.keys {
        let range = sector * Self.sector..<min((sector + 1) * Self.sector, node.bytes.count)
        node.safe.replaceSubrange(range, with: node.bytes[range])
      }
    }
    node.dirty = [:]
    nodes[number] = node
  }

  mutating func truncate(_ number: Int, to size: Int) {
    guard var node = nodes.removeValue(forKey: number) else { return }
    node.bytes = Array(node.bytes.prefix(size))
    node.dirty = node.dirty.filter { $0.key * Self.sector < size }
    nodes[number] = node
  }

  /// Takes the power away: any subset of what is not synced survives.
  mutating func losePower(_ dice: inout JournalDice) {
    for renaming in renamings.prefix(dice.pick(0...renamings.count)) {
      Self.apply(renaming, to: &safeNames)
    }
    names = safeNames
    renamings = []
    for number in nodes.keys.sorted() {
      guard var node = nodes.removeValue(forKey: number) else { continue }
      guard names.values.contains(number) else { continue }
      if !node.dirty.isEmpty || node.safe.count != node.bytes.count {
        let isAllOrNothing = dice.chance(20)
        let keepsAll = dice.chance(50)
        var rest = node.safe
        if rest.count != node.bytes.count, dice.chance(50) {
          let missing = max(0, node.bytes.count - rest.count)
          rest = Array(rest.prefix(node.bytes.count)) + [UInt8](repeating: 0, count: missing)
        }
        for (sector, versions) in node.dirty.sorted(by: { $0.key < $1.key }) {
          let start = sector * Self.sector
          guard start < rest.count, start < node.bytes.count else { continue }
          let newest = Array(node.bytes[start..<min(start + Self.sector, node.bytes.count)])
          let choice =
            isAllOrNothing ? (keepsAll ? versions.count : -1) : dice.pick(-1...versions.count)
          guard choice >= 0 else { continue }
          let chosen = choice < versions.count ? versions[choice] : newest
          let end = min(start + chosen.count, rest.count)
          rest.replaceSubrange(start..<end, with: chosen.prefix(end - start))
        }
        node.safe = rest
        node.bytes = rest
        node.dirty = [:]
      }
      nodes[number] = node
    }
  }

  /// All bytes of all files.
  var size: Int { names.values.reduce(0) { $0 + (nodes[$1]?.bytes.count ?? 0) } }
}
