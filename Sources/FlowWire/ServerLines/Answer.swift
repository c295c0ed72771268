/// The answer to a command: `OK VERB FIELDS…`, with `key=value` after the positional fields.
public enum Answer: Hashable, Sendable {
  /// `OK VERB [TEXT]`, the answer without further fields: `OK auth`, `OK run NAME`, `OK list
  /// COUNT`.
  case plain(Verb, String? = nil)

  /// `OK hello 1 [ping=DUR] [name=TEXT]`; `ping` is in nanoseconds.
  case hello(ping: Int64?, name: String?)
  /// `OK subject NAME SETTINGS`
  case subject(name: String, SubjectSettings)
  /// `OK pipeline NAME stages=N`
  case pipeline(name: String, stages: Int)
  /// `OK explain stages=N`
  case explain(stages: Int)
  /// `OK kill client N | stream N ID | name NAME ended=N`
  case kill(Victim, ended: Int? = nil)

  /// `OK send NAME to=N missed=N`
  case send(name: String, to: Int, missed: Int)
  /// `OK send NAME [seq=N]`: stored in NATS; the sequence is `nil` if unknown.
  case stored(name: String, sequence: UInt64?)
  /// `OK feed NAME sent=N missed=N refused=N [why=CODE]`
  case feed(name: String, FeedFigures)
  /// `OK done|fail NAME|ID`; `to=N missed=N nobody=N` follow DONE of a publication.
  case completed(Verb, Target, DeliveryFigures? = nil)
  /// `OK value ID …`
  case value(StreamID, Reception)

  /// `OK sub|take|tap|pub|serve ID NAME demand=N|max [flow=free]`; the name is `-` for an inline
  /// pipeline, and the flow is given if the subscription gets another one than its subjects have.
  case open(Verb, StreamID, name: String, demand: Demand, flow: SubjectSettings.Flow? = nil)
  /// `OK req ID demand=N|max`
  case request(StreamID, demand: Demand)
  /// `OK cancel ID values=N missed=N undelivered=N [why=REASON:N,…]`; without `why`, demand was
  /// lacking.
  case cancel(StreamID, values: Int, missed: Int, undelivered: Int, why: [String: Int] = [:])
  /// `OK req|cancel|done|fail ID ended`: the stream had already ended.
  case ended(Verb, StreamID)

  /// An answer of a newer server, without the `OK`.
  case other(String)

  /// How the server handled a value sent on a stream.
  public enum Reception: Hashable, Sendable {
    /// `to=N missed=N demand=N|max`
    case sent(to: Int, missed: Int, demand: Demand)
    /// `held=N demand=N|max`
    case held(Int, demand: Demand)
    /// `dropped=1 demand=N|max`
    case dropped(demand: Demand)
    /// `demand=N|max`: a call forwarded it.
    case passed(demand: Demand)
    /// `ended`: the stream had already ended.
    case ended
  }
}

/// How the values of a publication were delivered.
public struct DeliveryFigures: Hashable, Sendable, CustomStringConvertible {
  /// Values received, counted once for each subscription.
  public var to = 0
  /// Values missed, counted once for each subscription.
  public var missed = 0
  /// Values that found no subscription and were not kept for later ones.
  public var nobody = 0

  public init() {}

  public var description: String { "to=\(to) missed=\(missed) nobody=\(nobody)" }
}

/// How the lines of a FEED were delivered.
public struct FeedFigures: Hashable, Sendable, CustomStringConvertible {
  public var sent = 0
  /// Values missed, counted once for each subscription.
  public var missed = 0
  public var refused = 0
  /// Why the first refused line was not sent.
  public var why: String?

  public init() {}

  public var fields: RowFields {
    ["sent": sent, "missed": missed, "refused": refused, "why": why]
  }

  public var description: String { fields.description }
}

extension Answer {
  public var text: String { String(decoding: line.bytes.dropFirst(3).dropLast(), as: UTF8.self) }

  /// Appends the line and its line end, after the tag if there is one.
  public func write(tag: String? = nil, into output: inout [UInt8]) {
    if let tag { output.append(tag: tag) }
    output.append(line)
  }

  private var line: LineText {
    switch self {
    case .plain(let verb, let text): "OK \(verb)\(rest: text.map(escaped))"
    case .hello(let ping, let name):
      "OK hello 1\("ping", ping.map(Quantity.text))\("name", name.map(escaped))"
    case .subject(let name, let settings): "OK subject \(name) \(settings)"
    case .pipeline(let name, let stages): "OK pipeline \(name) stages=\(stages)"
    case .explain(let stages): "OK explain stages=\(stages)"
    case .kill(.client(let number), _): "OK kill client \(number)"
    case .kill(.stream(let number, let id), _): "OK kill stream \(number) \(id)"
    case .kill(.name(let name), let count): "OK kill name \(name)\("ended", count)"
    case .send(let name, let to, let missed): "OK send \(name) to=\(to) missed=\(missed)"
    case .stored(let name, let sequence): "OK send \(name)\("seq", sequence)"
    case .feed(let name, let figures): "OK feed \(name) \(figures)"
    case .completed(let verb, let target, let figures):
      "OK \(verb) \(target)\(rest: figures?.description)"
    case .value(let id, .sent(let to, let missed, let demand)):
      "OK value \(id) to=\(to) missed=\(missed) demand=\(demand)"
    case .value(let id, .held(let held, let demand)): "OK value \(id) held=\(held) demand=\(demand)"
    case .value(let id, .dropped(let demand)): "OK value \(id) dropped=1 demand=\(demand)"
    case .value(let id, .passed(let demand)): "OK value \(id) demand=\(demand)"
    case .value(let id, .ended): "OK value \(id) ended"
    case .open(let verb, let id, let name, let demand, let flow):
      "OK \(verb) \(id) \(name) demand=\(demand)\("flow", flow?.rawValue)"
    case .request(let id, let demand): "OK req \(id) demand=\(demand)"
    case .cancel(let id, let values, let missed, let undelivered, let why):
      "OK cancel \(id) values=\(values) missed=\(missed)\(rest: Self.text(undelivered, why))"
    case .ended(let verb, let id): "OK \(verb) \(id) ended"
    case .other(let text): "OK \(escaped(text))"
    }
  }
}

extension Answer {
  /// Parses the text after `OK`.
  init(_ fields: inout FieldReader) throws(WireError) {
    var whole = fields
    let word = try fields.word("the verb")
    self = (try? Self.known(word, &fields)) ?? .other(whole.text() ?? word)
  }

  private static func known(
    _ word: String,
    _ fields: inout FieldReader
  ) throws(WireError) -> Answer? {
    if word == "value" { return .value(try fields.streamID(), try Reception(fields)) }
    guard let verb = Verb(rawValue: word.uppercased()) else { return nil }
    switch verb {
    case .hello:
      let ping = fields.option("ping").flatMap { Quantity.duration($0[...]) }
      return .hello(ping: ping, name: fields.option("name"))
    case .subject, .kill:
      switch try fields.command(verb) {
      case .subject(let name, let settings): return .subject(name: name, settings)
      case .kill(let victim): return .kill(victim, ended: try? fields.count(of: "ended"))
      default: return nil
      }
    case .pipeline:
      return .pipeline(name: try fields.word("the name"), stages: try fields.count(of: "stages"))
    case .explain: return .explain(stages: try fields.count(of: "stages"))
    case .send:
      let name = try fields.word("the name")
      if let sequence = fields.option("seq") {
        return UInt64(decimal: sequence.utf8).map { .stored(name: name, sequence: $0) }
      }
      var rest = fields
      if rest.text() == nil { return .stored(name: name, sequence: nil) }
      let to = try fields.count(of: "to")
      return .send(name: name, to: to, missed: try fields.count(of: "missed"))
    case .feed: return .feed(name: try fields.word("the name"), try FeedFigures(fields))
    case .subscribe, .take, .tap, .publish, .serve:
      let id = try fields.streamID()
      let name = try fields.word("the name")
      let flow = fields.option("flow").flatMap { SubjectSettings.Flow(rawValue: $0) }
      return .open(verb, id, name: name, demand: try fields.demand(of: "demand"), flow: flow)
    case .done, .fail:
      let target = try fields.target()
      if case .stream(let id) = target, fields.hasEnded { return .ended(verb, id) }
      return .completed(verb, target, try? DeliveryFigures(fields))
    case .request, .cancel:
      let id = try fields.streamID()
      if fields.hasEnded { return .ended(verb, id) }
      if verb == .request { return .request(id, demand: try fields.demand(of: "demand")) }
      return .cancel(
        id,
        values: try fields.count(of: "values"),
        missed: try fields.count(of: "missed"),
        undelivered: try fields.count(of: "undelivered"),
        why: counts(fields.option("why") ?? "")
      )
    default: return .plain(verb, fields.text())
    }
  }
}

// The `why=` of CANCEL: `no-demand:2,unmatched:1`.
extension Answer {
  private static func text(_ undelivered: Int, _ why: [String: Int]) -> String {
    let counts = why.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }
    return "undelivered=\(undelivered)"
      + (counts.isEmpty ? "" : " why=\(counts.joined(separator: ","))")
  }

  private static func counts(_ text: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for part in text.split(separator: ",") {
      let pair = part.split(separator: ":", maxSplits: 1)
      guard pair.count == 2, let count = Int(pair[1]), count >= 0 else { continue }
      counts[String(pair[0])] = count
    }
    return counts
  }
}

extension DeliveryFigures {
  fileprivate init(_ fields: FieldReader) throws(WireError) {
    to = try fields.count(of: "to")
    missed = try fields.count(of: "missed")
    nobody = try fields.count(of: "nobody")
  }
}

extension Answer.Reception {
  fileprivate init(_ fields: FieldReader) throws(WireError) {
    if fields.hasEnded {
      self = .ended
      return
    }
    let demand = try fields.demand(of: "demand")
    if let to = try? fields.count(of: "to") {
      self = .sent(to: to, missed: try fields.count(of: "missed"), demand: demand)
    } else if let held = try? fields.count(of: "held") {
      self = .held(held, demand: demand)
    } else {
      self = fields.option("dropped") == nil ? .passed(demand: demand) : .dropped(demand: demand)
    }
  }
}

extension FeedFigures {
  fileprivate init(_ fields: FieldReader) throws(WireError) {
    sent = try fields.count(of: "sent")
    missed = try fields.count(of: "missed")
    refused = try fields.count(of: "refused")
    why = fields.option("why")
  }
}
