import FlowTestSupport

/// Makes random conversations, the same ones for the same seed.
struct Mutator {
  private let corpus: Corpus
  private var random: SeededGenerator

  init(_ corpus: Corpus, seed: UInt64) {
    self.corpus = corpus
    random = SeededGenerator(state: seed)
  }

  /// The maximum length of a conversation in bytes.
  private static let longest = 96 << 10

  private static let words = """
    SUBJECT PIPELINE RUN DELETE LIST SHOW EXPLAIN STATS WATCH SEND DONE FAIL SUB TAKE TAIL FEED PUB SERVE REQ CANCEL HELLO AUTH
    PING HELP QUIT now passthrough current replay flow=free flow=slowest stall=1ms as=1 as=9 as=9007199254740992 window=1
    window=4MiB grant=1 grant=65536 over=hold over=cancel over=drop owner=yes within=1ms ping=1s name=x max 0 1 -1
    9223372036854775807 9223372036854775808 18446744073709551616 1e999 0.0000001 streams clients services subjects runs
    $events $stats $0 @! @tag = : . # .share() .map { $0 } .filter { $0 > 1 } .scan(0) { $0 + $1 } .reduce([]) { $0 + [$1] }
    .flatMap { (1...3).publisher } .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 1) } .merge(with: a) .retry(99)
    .catch { Just($0) } .delay(for: 0.5) .buffer(size: 3, prefetch: .keepFull, whenFull: .dropOldest) .prefix(2) .first()
    .dropFirst() .replaceError(with: 0) .print("x") .assign(to: a) .subscribe(a) (1...1000000000).publisher [1,2].publisher
    Just(1) Empty() Fail("no") Timer.publish(every: 0.001).autoconnect() fail("x") if let return in ? ?? && ... ..< \\.a.b
    """.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }

  private static let bytes: [UInt8] = [
    0, 9, 10, 13, 32, 34, 40, 41, 46, 58, 61, 92, 123, 125, 255,
  ]

  mutating func conversation() -> [UInt8] {
    var bytes = corpus.conversations.randomElement(using: &random) ?? []
    if chance(3) {
      let other = corpus.conversations.randomElement(using: &random) ?? []
      bytes = chance(2) ? bytes + other : splice(bytes, other)
    }
    for _ in 0..<number(8) { mutate(&bytes) }
    return Array(bytes.prefix(Self.longest))
  }

  /// Cuts `bytes` into pieces at random places.
  mutating func pieces(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    let most = chance(4) ? 200 : 8
    let cuts = (0..<number(most)).map { _ in number(bytes.count + 1) }.sorted()
    return zip([0] + cuts, cuts + [bytes.count]).map { bytes[$0..<$1] }.filter { !$0.isEmpty }
  }

  mutating func chance(_ of: Int) -> Bool { number(of) == 0 }

  private mutating func number(_ below: Int) -> Int {
    below < 1 ? 0 : Int.random(in: 0..<below, using: &random)
  }

  private mutating func splice(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    Array(first.prefix(number(first.count + 1)) + second.suffix(number(second.count + 1)))
  }

  private mutating func mutate(_ bytes: inout [UInt8]) {
    let place = number(bytes.count)
    switch number(16) {
    case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(number(8))
    case 1 where !bytes.isEmpty: bytes[place] = Self.bytes[number(Self.bytes.count)]
    case 2: bytes.insert(Self.bytes[number(Self.bytes.count)], at: place)
    case 3: bytes.removeSubrange(place..<min(bytes.count, place + number(20)))
    case 4: bytes.insert(contentsOf: nesting(), at: place)
    case 5: bytes.insert(contentsOf: [UInt8](repeating: 65, count: number(70_000)), at: place)
    case 6: bytes.insert(contentsOf: [0xC3, 0x28, 0xED, 0xA0, 0x80, 0], at: place)
    case 7, 8: replaceNumber(in: &bytes)
    case 9: insertWord(into: &bytes)
    default: mutateLines(&bytes)
    }
  }

  private mutating func nesting() -> [UInt8] {
    let bracket = Array("([{-!\"".utf8)[number(6)]
    return [UInt8](repeating: bracket, count: [3, 65, 300, 20_000][number(4)])
  }

  private mutating func mutateLines(_ bytes: inout [UInt8]) {
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false).map(Array.init)
    let place = number(lines.count)
    switch number(7) {
    case 0: lines.insert(contentsOf: Array(repeating: lines[place], count: number(200)), at: place)
    case 1: lines.remove(at: place)
    case 2: lines.swapAt(place, number(lines.count))
    case 3: lines[place] = Array(lines[place].prefix(number(lines[place].count + 1)))
    case 4: lines.insert(corpus.lines.randomElement(using: &random) ?? [], at: place)
    case 5: lines[place] = Array("@t\(number(99)) ".utf8) + lines[place]
    default:
      let words = lines[place].split(separator: 32).map(Array.init)
      guard let word = words.randomElement(using: &random) else { break }
      lines[place] += [32] + word
    }
    bytes = Array(lines.joined(separator: [10]))
  }

  private mutating func replaceNumber(in bytes: inout [UInt8]) {
    let places = bytes.indices.filter { (48...57).contains(bytes[$0]) }
    guard let place = places.randomElement(using: &random) else { return }
    let others = [
      "0", "-1", "00", "1.5", "max", "64", "65", "1024", "65537", "1048577", "67108865",
      "4294967296",
      "9007199254740993", "9223372036854775807", "99999999999999999999999",
    ]
    bytes.replaceSubrange(place...place, with: others[number(others.count)].utf8)
  }

  private mutating func insertWord(into bytes: inout [UInt8]) {
    let places = bytes.indices.filter { bytes[$0] == 32 }
    let place = places.randomElement(using: &random) ?? 0
    bytes.insert(contentsOf: [32] + Self.words[number(Self.words.count)], at: place)
  }
}
