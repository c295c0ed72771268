/// What belongs to the streams of one connection, in the order of their ids.
///
/// Most connections have one stream: an array of one costs half of what a dictionary of one does,
/// which tells with ten thousand of them. Ids mostly ascend, so that adding is appending.
struct StreamTable<Element> {
  private var entries: ContiguousArray<(id: UInt64, element: Element)> = []

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }
  var ids: [UInt64] { entries.map(\.id) }
  /// The elements, by ascending ids.
  var values: [Element] { entries.map(\.element) }

  subscript(id: UInt64) -> Element? {
    get {
      let place = place(of: id)
      return place < entries.count && entries[place].id == id ? entries[place].element : nil
    }
    set {
      let place = place(of: id)
      let isThere = place < entries.count && entries[place].id == id
      switch (newValue, isThere) {
      case (let element?, true): entries[place].element = element
      case (let element?, false): entries.insert((id, element), at: place)
      case (nil, true):
        entries.remove(at: place)
        if entries.isEmpty { entries = [] }
      case (nil, false): break
      }
    }
  }

  /// The place of `id`, or where it would have to be.
  private func place(of id: UInt64) -> Int {
    guard let last = entries.last, last.id >= id else { return entries.count }
    var low = 0
    var high = entries.count - 1
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
