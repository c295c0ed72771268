/// The segments of a journal, by the numbers in their headers.
struct SegmentFiles {
  struct File: Equatable {
    var name: String
    var size: Int
    var header: SegmentHeader
  }

  private(set) var files: [UInt64: File] = [:]
  /// Files named like segments into which nothing was written: a crash came first.
  private(set) var unbegun: [String] = []
  private(set) var spares: [String] = []
  /// The highest number of all names and headers.
  private(set) var highest: UInt64 = 0
  private(set) var notes: [String] = []
  /// The newest segment if its header cannot be read.
  private(set) var unreadable: String?

  init(_ image: some JournalImage, _ store: StoreFile) throws(JournalError) {
    var zeros: [(number: UInt64, name: String)] = []
    var unreadable: [(number: UInt64, name: String)] = []
    for (name, size) in try image.files().sorted(by: { $0.name < $1.name }) {
      guard let number = Segment.number(ofFile: name) else {
        if Segment.spareNumber(ofFile: name) != nil { spares.append(name) }
        continue
      }
      highest = max(highest, number)
      if size != store.segmentSize {
        notes.append("\(name) has \(size) bytes, expected \(store.segmentSize)")
      }
      let block = image.read(name, at: 0, count: SegmentHeader.size)
      if let header = block.bytes.fields({ SegmentHeader($0) }) {
        add(File(name: name, size: size, header: header), number, store)
      } else if block.failed.isEmpty, size == store.segmentSize, block.bytes.fields(\.isZero) {
        zeros.append((number, name))
      } else {
        notes.append("\(name) has no header that can be read")
        unreadable.append((number, name))
      }
    }
    let newest = newestMain?.header.number ?? 0
    for (number, name) in zeros {
      if number > newest {
        unbegun.append(name)
      } else {
        notes.append("\(name) has no header that can be read")
      }
    }
    self.unreadable = unreadable.last { $0.number > newest }?.name
  }

  private mutating func add(_ file: File, _ number: UInt64, _ store: StoreFile) {
    guard file.header.store == store.id else {
      notes.append("\(file.name) is of another journal")
      return
    }
    highest = max(highest, file.header.number)
    if file.header.number != number {
      notes.append("segment \(file.header.number) in place of \(number)")
    }
    // Of two files with one number, the one with the right name counts.
    if files[file.header.number] == nil || file.header.number == number {
      files[file.header.number] = file
    }
  }

  /// The segments to which batches were written, in order.
  var main: [File] {
    files.values.filter { !$0.header.isCold }.sorted { $0.header.number < $1.header.number }
  }

  var newestMain: File? { main.last }
}
