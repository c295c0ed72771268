internal import FlowSubjects
internal import FlowWire

/// An open stream of a connection, by its kind.
enum OpenStream {
  case subscription(ClientSubscription)
  case publication(Publication)
  case service(Worker)

  /// The name it is open on; `-` for an expression.
  var name: String {
    switch self {
    case .subscription(let stream): stream.name
    case .publication(let publication): publication.subject.name
    case .service(let worker): worker.service.name
    }
  }
}

/// A stream on which a client requests something: values, or calls to answer.
protocol RequestedStream: AnyObject {
  var demand: Demand { get }
  func raise(_ demand: Demand)
  func requestMore()
  func fail(_ code: ErrorCode, _ text: String)
}

extension ClientSubscription: RequestedStream {}
extension Worker: RequestedStream {}

/// A client's open streams by id, and which ids were used.
struct OpenStreams {
  private var table = StreamTable<OpenStream>()
  private var highest: UInt64 = 0
  // Small integers, because thousands of idle connections have them.
  private(set) var subscriptionCount: Int32 = 0
  private(set) var publicationCount: Int32 = 0
  private(set) var serviceCount: Int32 = 0

  var count: Int { table.count }

  subscript(id: UInt64) -> OpenStream? { table[id] }

  func publication(_ id: UInt64) -> Publication? {
    if case .publication(let publication)? = table[id] { publication } else { nil }
  }

  func worker(_ id: UInt64) -> Worker? {
    if case .service(let worker)? = table[id] { worker } else { nil }
  }

  // In ascending order of ids.

  var all: [OpenStream] { table.values }

  var subscriptions: [ClientSubscription] {
    guard subscriptionCount > 0 else { return [] }
    return table.values.compactMap {
      if case .subscription(let stream) = $0 { stream } else { nil }
    }
  }

  var publications: [Publication] {
    guard publicationCount > 0 else { return [] }
    return table.values.compactMap {
      if case .publication(let publication) = $0 { publication } else { nil }
    }
  }

  var workers: [Worker] {
    guard serviceCount > 0 else { return [] }
    return table.values.compactMap { if case .service(let worker) = $0 { worker } else { nil } }
  }

  func ids(on name: String) -> [UInt64] { table.ids.filter { table[$0]?.name == name } }

  mutating func open(_ id: UInt64, _ stream: OpenStream) {
    table[id] = stream
    highest = max(highest, id)
    count(stream, 1)
  }

  mutating func close(_ id: UInt64) {
    guard let stream = table[id] else { return }
    table[id] = nil
    count(stream, -1)
  }

  private mutating func count(_ stream: OpenStream, _ change: Int32) {
    switch stream {
    case .subscription: subscriptionCount += change
    case .publication: publicationCount += change
    case .service: serviceCount += change
    }
  }

  /// Returns the id for a new stream: the given one, or the highest used plus one.
  func id(for wish: StreamID?) throws(DefinitionError) -> UInt64 {
    if let wish, table[wish.rawValue] != nil {
      throw DefinitionError(.idInUse, "stream \(wish) is already open; omit as= for a free id")
    }
    guard wish != nil || highest < StreamID.largest else {
      let text = "no stream id above \(highest) is left; choose one with as="
      throw DefinitionError(.limit, text)
    }
    return wish?.rawValue ?? highest + 1
  }

  /// An id for the only stream of a connection.
  var freeID: UInt64 { min(highest + 1, StreamID.largest) }

  /// Whether an id that is not open may have been open before.
  func hasEnded(_ id: UInt64) -> Bool { id > 0 && id <= highest }

  /// Returns the error for a missing stream, which lists the open ones.
  private func notFound(_ why: String) -> DefinitionError {
    let ids = table.ids
    let list = ids.prefix(20).map(String.init).joined(separator: ", ")
    let open = ids.isEmpty ? "none is open" : "open: \(list)\(ids.count > 20 ? ", …" : "")"
    return DefinitionError(.unknownStream, "\(why); \(open)")
  }

  func unknown(_ id: some CustomStringConvertible) -> DefinitionError {
    notFound("there is no stream \(id)")
  }

  /// Finds the stream of a REQ or CANCEL; returns only the id if it has ended.
  func requested(
    _ target: Target
  ) throws(DefinitionError) -> (id: UInt64, stream: (any RequestedStream)?) {
    let id = try id(of: target)
    switch table[id] {
    case .subscription(let stream): return (id, stream)
    case .service(let worker): return (id, worker)
    case .publication:
      throw DefinitionError(.usage, "stream \(id) is a publication; end it with DONE \(id)")
    case nil where hasEnded(id): return (id, nil)
    case nil: throw unknown(id)
    }
  }

  private func id(of target: Target) throws(DefinitionError) -> UInt64 {
    let name: String
    switch target {
    case .stream(let id): return id.rawValue
    case .name(let text): name = text
    }
    let ids = ids(on: name).filter { publication($0) == nil }
    if let id = ids.first, ids.count == 1 { return id }
    if ids.isEmpty { throw notFound("there is no open stream on \(name)") }
    let list = ids.map(String.init).joined(separator: ", ")
    throw DefinitionError(.usage, "streams \(list) are all on \(name); use an id")
  }
}
