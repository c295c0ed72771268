/// All that is said and heard in a world, with times in microseconds.
final class Chronicle {
  private let world: World
  private let begin: UInt64
  /// With `false` only the fingerprint is kept.
  private let keepsLines: Bool
  private(set) var lines: [String] = []
  /// One number for all of it: two that differ in a byte differ in it.
  private(set) var fingerprint: UInt64 = 0xcbf2_9ce4_8422_2325

  init(_ world: World, keepsLines: Bool) {
    self.world = world
    self.keepsLines = keepsLines
    begin = world.now
  }

  func note(_ what: String) {
    let line = "\((world.now &- begin) / 1000) \(what)"
    for byte in line.utf8 { fingerprint = (fingerprint ^ UInt64(byte)) &* 0x100_0000_01b3 }
    if keepsLines { lines.append(line) }
  }
}
