import Foundation
import Testing

@testable import FlowJournal

/// `Tests/System/journal.py` knows only docs/journal-format.md: it must read the same.
@Suite("A reader in Python")
struct ReaderTests {
  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "System/journal.py").path

  private static func run(_ arguments: [String]) throws -> [String] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [script] + arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(
    "reads values, positions and gaps as the journal does",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"))
  )
  func reads() throws {
    let disk = MemoryDisk()
    let rig = JournalRig(disk)
    try rig.open()
    rig.define(1)
    rig.define(2)
    rig.define(3, kept: 2)
    _ = rig.append([.consumer(id: 4, subject: 1, sequence: 1, name: Array("billing".utf8))])
    for _ in 0..<40 {
      rig.publish(1, 12, inBatchesOf: 4)
      rig.publish(2, 1)
      rig.publish(3, 1)
      let next = rig.catalog.definitions[1]?.next ?? 1
      if next > 20 { _ = rig.append([.trim(subject: 1, first: next - 10)]) }
      _ = rig.append([.position(consumer: 4, sequence: next - 11)])
      rig.commitAll()
      rig.keepAllHouse()
    }
    #expect(rig.segments.contains { $0.header.isCold })
    let (file, offset) = try #require(rig.place(2, 30))
    disk.flipBit(file, (offset + 30) * 8)
    #expect(rig.summary(2) == "1...29, gap 30...30, 31...40")
    rig.commitAll()

    let folder = FileManager.default.temporaryDirectory.path + "/journal-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in disk.fileNames {
      try Data(disk.contents(name)).write(to: URL(filePath: "\(folder)/\(name)"))
    }
    let summary = try Self.run([folder])
    let known = rig.catalog
    #expect(summary.count == 4)
    for id in [1, 2, 3] as [UInt32] {
      let definition = try #require(known.definitions[id])
      let line = "subject \(id) first=\(definition.first) next=\(definition.next) "
      #expect(summary.contains { $0.hasPrefix(line) })
      let values = try Self.run([folder, "\(id)"]).map { $0.split(separator: " ", maxSplits: 2) }
      let sequences = (definition.first..<definition.next).map { "\($0)" }
      #expect(values.map { String($0[0]) } == sequences)
      for value in values where !(id == 2 && value[0] == "30") {
        let sequence = try #require(UInt64(value[0]))
        #expect(Array(value[2].utf8) == JournalRig.bytes(id, sequence))
      }
    }
    let position = known.consumers[4]?.position ?? 0
    #expect(summary.contains("consumer 4 subject=1 position=\(position) billing"))
  }
}
