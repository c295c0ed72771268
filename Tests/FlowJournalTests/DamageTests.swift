import Testing

@testable import FlowJournal

/// The tests of a sceptic that damage files, by their numbers.
@Suite("Damage")
struct DamageTests {
  let disk = MemoryDisk()
  let rig: JournalRig

  init() throws {
    rig = JournalRig(disk)
    try rig.open()
    rig.define(1)
    rig.define(2)
  }

  /// Publishes to both subjects until some segments are sealed and a checkpoint is behind them.
  private func fillSegments() {
    for _ in 0..<30 {
      rig.publish(1, 10, inBatchesOf: 3)
      rig.publish(2, 5, inBatchesOf: 5)
      rig.keepAllHouse()
    }
  }

  @Test("#4 one bit in a sealed segment costs one value, counted once")
  func bitInSealedSegment() throws {
    fillSegments()
    let (file, offset) = try #require(rig.place(1, 50))
    #expect(file != rig.segmentFiles.last)
    disk.flipBit(file, (offset + 30) * 8)
    try rig.open()
    #expect(rig.report.lost == 0)
    #expect(rig.summary(1) == "1...49, gap 50...50, 51...300")
    #expect(rig.summary(2) == "1...150")
    rig.commitAll()
    for _ in 0..<2 {
      try rig.open()
      #expect(rig.report.lost == 0)
      #expect(rig.catalog.definitions[1]?.lost == [50...50])
      #expect(rig.summary(1) == "1...49, gap 50...50, 51...300")
    }
  }

  @Test(
    "#5 one bit in a frame's length costs nothing whose record is right",
    arguments: [4, 8, 32]
  )
  func bitInLength(_ field: Int) throws {
    rig.publish(1, 20, inBatchesOf: 4)
    let (file, frame) = rig.frames()[4]
    disk.flipBit(file, (frame.offset + field) * 8 + 3)
    try rig.open()
    #expect(rig.report.notes.count == 1)
    #expect(rig.report.lost == 0)
    #expect(rig.summary(1) == "1...20")
  }

  @Test("#5 damaged values in a damaged batch are counted exactly")
  func damagedValues() throws {
    rig.publish(1, 20, inBatchesOf: 4)
    for sequence in [10, 11] as [UInt64] {
      let (file, offset) = try #require(rig.place(1, sequence))
      disk.flipBit(file, (offset + 40) * 8)
    }
    try rig.open()
    #expect(rig.report.lost == 2)
    #expect(rig.summary(1) == "1...9, gap 10...11, 12...20")
    #expect(rig.report.torn == nil)
    try rig.open()
    #expect(rig.report.lost == 0)
    #expect(rig.summary(1) == "1...9, gap 10...11, 12...20")
  }

  @Test("refuses to start when it cannot count what a zeroed sector held")
  func zeroedSector() throws {
    rig.publish(1, 20, inBatchesOf: 20)
    rig.publish(1, 1)
    let (file, offset) = try #require(rig.place(1, 10))
    disk.damage(file) { bytes in
      for place in offset / 512 * 512..<offset / 512 * 512 + 512 { bytes[place] = 0 }
    }
    #expect(throws: JournalError.self) { try rig.open() }
    try rig.open(isLossAccepted: true)
    #expect(rig.report.uncounted.count == 1)
    let summary = rig.summary(1)
    #expect(summary.hasPrefix("1...") && summary.hasSuffix("21") && summary.contains("gap"))
  }

  @Test("#6 one bit in the last batch after kill -9 is taken for a torn write, and logged")
  func bitInLastBatch() throws {
    rig.publish(1, 20, inBatchesOf: 4)
    let (file, frame) = try #require(rig.frames().last)
    disk.flipBit(file, (frame.offset + 100) * 8)
    try rig.open()
    #expect(rig.report.torn?.batch == frame.header.number)
    #expect(rig.report.torn?.offset == frame.offset)
    #expect(rig.summary(1) == "1...16")
    #expect(rig.catalog.definitions[1]?.next == 17)
  }

  @Test("#6 a quiet moment later it is damage")
  func bitInConfirmedBatch() throws {
    rig.publish(1, 20, inBatchesOf: 4)
    let (file, frame) = try #require(rig.frames().last)
    rig.passTime(200_000_000)
    rig.commit()
    disk.flipBit(file, (frame.offset + 100) * 8)
    try rig.open()
    #expect(rig.report.torn == nil)
    #expect(rig.report.lost == 1)
    #expect(rig.summary(1) == "1...16, gap 17...17, 18...20")
  }

  @Test("#7 one bit in the last batch after a clean stop is damage")
  func bitAfterCleanStop() throws {
    rig.publish(1, 20, inBatchesOf: 4)
    let (file, frame) = try #require(rig.frames().last)
    rig.close()
    disk.flipBit(file, (frame.offset + 100) * 8)
    try rig.open()
    #expect(rig.report.torn == nil)
    #expect(rig.report.isClean)
    #expect(rig.report.lost == 1)
    #expect(rig.summary(1) == "1...16, gap 17...17, 18...20")
  }

  @Test("#8 a sealed segment that is gone costs exactly its values")
  func missingSegment() throws {
    _ = rig.append([.consumer(id: 9, subject: 1, sequence: 20, name: [65])])
    fillSegments()
    let sealed = try #require(rig.segments.first { $0.live > 40 })
    let live = rig.core?.withState { state in
      state.index.live(in: [UInt32(sealed.number)]).map { ($0.subject, $0.run) }
    }
    let runs = try #require(live)
    disk.lose(sealed.file)
    try rig.open()
    let count = runs.reduce(0) { $0 + Int($1.1.count) }
    #expect(Int(rig.report.lost) == count)
    for (subject, run) in runs {
      #expect(rig.summary(subject).contains("gap \(run.first)...\(run.end - 1)"))
    }
    #expect(rig.catalog.consumers[9]?.position == 20)
    try rig.open()
    #expect(rig.report.lost == 0)
  }

  @Test("#9 a newest segment of half its size is refused, unless the loss is accepted")
  func truncatedSegment() throws {
    rig.publish(1, 100, inBatchesOf: 4)
    let newest = try #require(rig.segmentFiles.last)
    disk.damage(newest) { $0.removeLast($0.count / 2) }
    let error = #expect(throws: JournalError.self) { try rig.open() }
    let message = error?.message ?? ""
    #expect(message.contains(newest) && message.contains("8192") && message.contains("16384"))
    try rig.open(isLossAccepted: true)
    #expect(!rig.report.uncounted.isEmpty)
    rig.publish(1, 3)
    try rig.open()
    #expect(rig.report.uncounted.isEmpty)
  }

  @Test("#10 two segments whose names were exchanged are read by their headers")
  func exchangedSegments() throws {
    fillSegments()
    let names = rig.segmentFiles
    disk.exchange(names[1], names[2])
    try rig.open()
    #expect(rig.report.lost == 0)
    #expect(rig.report.notes.count == 2)
    #expect(rig.summary(1) == "1...300")
    #expect(rig.summary(2) == "1...150")
  }

  @Test("#10 an old segment in the place of another one counts as missing")
  func replacedSegment() throws {
    fillSegments()
    let sealed = rig.segments.filter { $0.live > 20 && $0.phase == .sealed }
    disk.copy(sealed[0].file, over: sealed[1].file)
    try rig.open()
    #expect(Int(rig.report.lost) == sealed[1].live)
    let note = "segment \(sealed[0].number) in place of \(sealed[1].number)"
    #expect(rig.report.notes.contains(note))
    #expect(rig.summary(1).contains("gap"))
  }

  @Test("#11 old batches in a recycled segment are never believed")
  func recycledSegment() throws {
    for _ in 0..<40 {
      rig.publish(1, 10, inBatchesOf: 3)
      let next = rig.catalog.definitions[1]?.next ?? 1
      _ = rig.append([.trim(subject: 1, first: next - 5)])
      rig.commitAll()
      rig.keepAllHouse()
      try rig.open()
      #expect(rig.report.lost == 0)
      #expect(rig.report.torn == nil)
      #expect(rig.summary(1, from: next - 5) == "\(next - 5)...\(next - 1)")
    }
    #expect(rig.segments.first?.number ?? 0 > 5)
  }

  @Test("a batch that continues another one does not follow")
  func wrongChain() {
    let header = SegmentHeader(number: 1, salt: 5, store: StoreID(high: 1, low: 2))
    var bytes = header.bytes
    let records = [JournalRecord.delete(id: 1)]
    let first = FrameBuilder.frame(records, number: 1, time: 1, chain: 0, header.salt)
    let chain = first.fields { $0.number(at: 0, as: UInt32.self) } ?? 0
    bytes += first
    bytes += FrameBuilder.frame(records, number: 2, time: 1, chain: chain, header.salt)
    bytes += FrameBuilder.frame(records, number: 3, time: 1, chain: chain, header.salt)
    let scan = bytes.fields { SegmentScan($0, header, last: nil) }
    #expect(scan.next == 3)
    #expect(scan.end == SegmentHeader.size + 2 * first.count)
  }

  @Test("a bad sector in a segment's header costs nothing")
  func badHeader() throws {
    fillSegments()
    disk.flipBit(rig.segmentFiles[1], 16 * 8)
    try rig.open()
    #expect(rig.report.lost == 0)
    #expect(rig.summary(1) == "1...300")
  }

  @Test("a wrong footer is not believed", arguments: [0, 1, 2])
  func wrongFooter(_ kind: Int) throws {
    fillSegments()
    let segment = try #require(rig.segments.first { $0.hasFooter && $0.live > 20 })
    if kind == 2 {
      // A footer with right checksums that leads to other values.
      let salt = segment.header.salt
      let places = disk.contents(segment.file).fields { fields in
        SegmentScan(fields, segment.header, last: nil).places(fields)
      }
      let index = SegmentIndex(
        places.enumerated().map { number, place in
          let other = places[(number + 1) % places.count]
          return ValuePlace(
            subject: place.subject,
            sequence: place.sequence,
            offset: Int(other.offset) * 8
          )
        }
      )
      let frame = Footer.frame(index, lastBatch: 1, chain: 0, time: 0, salt)
      let trailer = Footer.Trailer(
        segment: segment.number,
        offset: Footer.place(behind: segment.end),
        length: frame.count,
        runs: index.runs.count,
        summary: segment.summary
      )
      disk.damage(segment.file) { bytes in
        let place = Footer.place(behind: segment.end)
        bytes.replaceSubrange(place..<place + frame.count, with: frame)
        let last = Footer.trailer(trailer, salt)
        bytes.replaceSubrange(bytes.count - last.count..<bytes.count, with: last)
      }
      #expect(rig.summary(1) == "1...300")
      #expect(rig.summary(2) == "1...150")
    } else {
      disk.flipBit(
        segment.file,
        kind == 0 ? (Footer.place(behind: segment.end) + 80) * 8 : 16384 * 8 - 100
      )
      try rig.open()
      #expect(rig.summary(1) == "1...300")
      #expect(rig.summary(2) == "1...150")
      #expect(rig.report.lost == 0)
    }
  }

  @Test("any flipped bit in any file is survived, and every value is right or counted")
  func anyBit() throws {
    fillSegments()
    rig.close()
    var dice = JournalDice(seed: 7)
    for _ in 0..<100 {
      let copy = disk.copy()
      let file = dice.pick(copy.fileNames.filter { $0 != "lock" && $0 != "store" })
      copy.flipBit(file, dice.pick(0...16384 * 8 - 1))
      let other = JournalRig(copy)
      try other.open(isLossAccepted: true)
      var next: UInt64 = 1
      for item in other.read(1, from: 1) {
        switch item {
        case .value(let sequence, _, let bytes):
          #expect(sequence == next && bytes == JournalRig.bytes(1, sequence))
          next += 1
        case .gap(let range):
          #expect(range.lowerBound == next && range.count <= 10)
          next = range.upperBound + 1
        case .postponed: Issue.record("postponed")
        }
      }
      #expect(next == 301)
    }
    try rig.open()
    #expect(rig.summary(1) == "1...300")
  }
}
