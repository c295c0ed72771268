/// A row of LIST, SHOW, EXPLAIN or WATCH: `KIND NAME TEXT FIELDS`; a kind may lack some parts.
public struct Row: Hashable, Sendable {
  public var kind: Kind
  /// A name, number or code; empty if the kind has none.
  public var name: String
  /// A definition, a stage, a message or JSON; empty if there is none.
  public var text: String
  /// The fields, mostly figures.
  public var fields: RowFields

  public init(_ kind: Kind, _ name: String = "", text: String = "", fields: RowFields = [:]) {
    self.kind = kind
    self.name = name
    self.text = text
    self.fields = fields
  }
}

extension Row {
  /// The first word of a row, and the parts that follow it.
  public struct Kind: Hashable, Sendable {
    /// The first word; empty for the figures of the name that SHOW was given.
    public let word: String
    /// The meaning of the second word, such as `number`; `nil` if fields or a text follow the first.
    public let name: String?
    /// The meaning of the text; `nil` if the rows have none.
    public let text: String?
    /// The separator between the name and the text.
    let sign: String
    /// The beginning of the first field after the text; empty if no field follows.
    let figures: String

    init(
      _ word: String,
      name: String? = nil,
      text: String? = nil,
      sign: String = " ",
      figures: String = ""
    ) {
      self.word = word
      self.name = name
      self.text = text
      self.sign = sign
      self.figures = figures
    }
  }
}

extension Row.Kind {
  /// `subject NAME passthrough|current VALUE|replay N flow=… FIGURES`.
  public static let subject = Self("subject", name: "name", text: "settings", figures: " flow=")
  /// `pipeline NAME = TEXT`.
  public static let pipeline = Self("pipeline", name: "name", text: "text", sign: " = ")
  /// `run NAME = TEXT state=… FIGURES`.
  public static let run =
    Self("run", name: "name", text: "text", sign: " = ", figures: " state=")
  /// `service NAME FIGURES`.
  public static let service = Self("service", name: "name")
  /// `client N peer=… FIGURES`.
  public static let client = Self("client", name: "client")
  /// `worker client=N id=N name=NAME FIGURES`.
  public static let worker = Self("worker")
  /// `call client=N id=N.M name=NAME FIGURES`.
  public static let call = Self("call")
  /// `stream client=N id=N FIGURES`.
  public static let stream = Self("stream")
  /// `tap client=N id=N FIGURES`.
  public static let tap = Self("tap")
  /// `publication client=N id=N name=NAME FIGURES`.
  public static let publication = Self("publication")
  /// `feed client=N name=NAME FIGURES`.
  public static let feed = Self("feed")

  /// `definition COMMAND`.
  public static let definition = Self("definition", text: "text")
  /// `KEY=VALUE …` without a first word: the figures of the name itself.
  public static let figures = Self("figures")
  /// `stage N TEXT in=N …` of SHOW, or `stage N TEXT [of=NAME] asks="…" …` of EXPLAIN.
  public static let stage = Self("stage", name: "number", text: "stage", figures: " in=")
  /// `inner N.M TEXT [of=NAME] asks="…" …`.
  public static let inner = Self("inner", name: "number", text: "stage")
  /// `total holds="…" [rate="…"] [resume=… why="…"]`.
  public static let total = Self("total")
  /// `completed finished|failed CODE TEXT`.
  public static let completed = Self("completed", text: "text")
  /// `failure CODE [ago=DUR] TEXT`.
  public static let failure = Self("failure", name: "code", text: "text")
  /// `left-out ago=DUR TEXT`.
  public static let leftOut = Self("left-out", text: "text")
  /// `subscription client=N id=N|run=NAME FIGURES`.
  public static let subscription = Self("subscription")
  /// `reader KIND server=SERVER behind=N`.
  public static let reader = Self("reader")
  /// `readers unknown`.
  public static let readers = Self("readers")

  /// `topology JSON`.
  public static let topology = Self("topology", text: "text")
  /// `sample JSON`.
  public static let sample = Self("sample", text: "text")

  /// The kinds by their first words.
  static let all: [String: Self] = Dictionary(
    uniqueKeysWithValues: [
      subject, pipeline, run, service, client, worker, call, stream, tap, publication, feed,
      definition, figures, stage, inner, total, completed, failure, leftOut, subscription, reader,
      readers, topology, sample,
    ].map { ($0.word, $0) }
  )
}

extension Row: CustomStringConvertible {
  public var description: String {
    let text = text.isEmpty ? "" : kind.sign + text
    let fields = fields.all.isEmpty ? "" : " \(fields)"
    switch kind {
    case .figures: return String(fields.dropFirst())
    case .failure: return "\(kind.word) \(name)\(fields)\(text)"
    case .leftOut: return "\(kind.word)\(fields)\(text)"
    default: return kind.word + (kind.name == nil ? "" : " \(name)") + text + fields
    }
  }

  /// Parses a row without its `* `; after an unknown first word it expects fields.
  public init(_ line: String) {
    var rest = line[...]
    let word = Self.word(&rest)
    guard !word.contains("=") else {
      self.init(.figures, fields: RowFields(line[...]))
      return
    }
    self.init(Kind.all[word] ?? Kind(word))
    if kind.name != nil {
      rest = rest.dropBlank
      name = Self.word(&rest)
    }
    let fieldsAreFirst = [.failure, .leftOut].contains(kind)
    if fieldsAreFirst, rest.dropBlank.hasPrefix("ago=") {
      rest = rest.dropBlank
      fields = RowFields(Self.word(&rest)[...])
    }
    let start = kind.text == nil ? rest.startIndex : startOfFields(in: rest)
    let sign = kind.sign.utf8
    var text = rest[..<start].utf8
    if text.starts(with: sign) { text = text.dropFirst(sign.count) }
    self.text = String(Substring(text))
    if !fieldsAreFirst {
      let mayBeQuoted = [.stage, .inner, .total].contains(kind)
      fields = RowFields(rest[start...], mayBeQuoted: mayBeQuoted)
    }
  }

  private static func word(_ rest: inout Substring) -> String {
    let word = rest.utf8.prefix { $0 != .space }
    rest = rest[word.endIndex...]
    return String(Substring(word))
  }

  /// Returns where the fields begin, after a text that may itself look like fields.
  private func startOfFields(in rest: Substring) -> Substring.Index {
    if kind.name == "number", rest.utf8.last == .quote,
      let asks = rest.ranges(of: " asks=\"").last?.lowerBound
    {
      let origin = rest[..<asks].ranges(of: " of=").last
      return origin.flatMap { Name.isReadable(rest[$0.upperBound..<asks]) ? $0.lowerBound : nil }
        ?? asks
    }
    guard !kind.figures.isEmpty else { return rest.endIndex }
    let start = rest.ranges(of: kind.figures).last { range in
      kind != .stage || rest[range.upperBound...].utf8.first?.isDigit ?? false
    }
    return start?.lowerBound ?? rest.endIndex
  }
}

extension Substring {
  fileprivate var dropBlank: Substring { utf8.first == .space ? Substring(utf8.dropFirst()) : self }
}
