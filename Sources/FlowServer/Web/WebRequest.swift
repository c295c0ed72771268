internal import FlowFiles
internal import FlowHTTP
internal import FlowLanguage
internal import FlowPage
internal import FlowTransport
internal import Spelling

/// The resources that can be requested, by path.
enum WebResource: String, CaseIterable {
  case page = "/"
  case style = "/page.css"
  case script = "/page.js"
  /// The client library, for pages of any origin.
  case client = "/flow.js"
  case events = "/events"
  case topology = "/v1/topology"
  case trial = "/v1/try"
  case graph = "/v1/graph.dot"
  case metrics = "/metrics"
  case health = "/healthz"
  case readiness = "/readyz"
  case login = "/login"
  /// The protocol over a WebSocket.
  case session = "/flow"

  var file: PageFile? { PageFile.all.first { $0.path == rawValue } }

  /// Whether it needs no token: it reveals nothing, or has its own login.
  var isOpen: Bool { [.health, .login, .style, .session, .client].contains(self) }

  /// Whether pages of other origins may request it.
  var isForOthers: Bool { self == .page || self == .session || self == .client }
}

struct WebRequest {
  private let request: RequestHead
  private let resource: WebResource
  private let peer: SocketAddress
  private let origin: WebDoor.Origin
  private let door: WebDoor

  enum Result {
    case answer(WebAnswer)
    case events(Access)
    case session(ResponseHead)
    /// A trial, which is run elsewhere and answered later.
    case trial(Trial, testUntil: Int)
    /// What is gathered in several turns.
    case metrics(MetricsPage)
  }

  init(
    _ request: RequestHead,
    _ resource: WebResource,
    from peer: SocketAddress,
    _ origin: WebDoor.Origin,
    door: WebDoor
  ) {
    self.request = request
    self.resource = resource
    self.peer = peer
    self.origin = origin
    self.door = door
  }

  private var engine: Engine { door.engine }

  func answer(_ body: UnsafeRawBufferPointer) -> Result {
    if let refusal { return .answer(refusal) }
    if request.method == "POST" {
      return .answer(unsafe logIn(String(decoding: body, as: UTF8.self)))
    }
    if resource.isOpen { return answer(Access(engine.tokens)) }
    switch door.access.access(request, from: peer, certificate: origin.certificate) {
    case .granted(let access): return answer(access)
    case .refused where resource == .page: return .answer(.login(401))
    case .refused:
      var answer = WebAnswer(401, "a token is needed: Authorization: Bearer TOKEN")
      answer.headers = [("WWW-Authenticate", "Bearer realm=\"Flow\"")]
      return .answer(answer)
    case .lockedOut(let seconds): return .answer(lockedOut(seconds))
    }
  }

  private var refusal: WebAnswer? {
    guard methods.contains(request.method) else {
      let list = methods.joined(separator: ", ")
      var answer = WebAnswer(405, "\(resource.rawValue) takes \(list)")
      answer.headers = [("Allow", list)]
      return answer
    }
    // HTTP/1.0 requests may have no Host, but browsers always send one.
    let host = request.header("host")
    if let host, !door.knows(host: host, from: origin) {
      return WebAnswer(421, "unknown host; add it with --http-origin http://NAME")
    }
    let site = request.header("sec-fetch-site")
    if !resource.isForOthers, site == "cross-site" {
      return WebAnswer(403, "other sites may not read this")
    }
    if let origin = request.header("origin"), resource == .session || request.method == "POST",
      !door.allows(origin: origin, host: host ?? "")
    {
      return WebAnswer(403, "pages of \(origin.excerpt(200)) may not; --http-origin lets them")
    }
    return nil
  }

  private var methods: [String] { ["GET", "HEAD"] + (takesForm ? ["POST"] : []) }

  /// Whether it accepts the login form, which is also shown instead of the page.
  private var takesForm: Bool {
    resource == .login || resource == .page && Access(engine.tokens).takesToken
  }

  private func logIn(_ form: String) -> WebAnswer {
    let fields = form.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
    let field = fields.first { $0.first == "token" && $0.count == 2 }
    let token = field.flatMap { HTTPText.percentDecode(Array($0[1].utf8), plusIsSpace: true) }
    guard let token else { return .login(400, "The form has no token.") }
    switch door.access.token(token, from: peer) {
    case .granted(let access):
      var answer = WebAnswer(303, "logged in")
      // The browser's origin shows whether a proxy has used TLS.
      let overTLS = request.header("origin")?.hasPrefix("https://") == true
      let cookie = door.access.logIn(access, overTLS: overTLS)
      answer.headers = [("Location", "./"), ("Set-Cookie", cookie)]
      return answer
    case .refused: return .login(401, "This token is not known.")
    case .lockedOut(let seconds): return lockedOut(seconds)
    }
  }

  private func lockedOut(_ seconds: Int64) -> WebAnswer {
    var answer = WebAnswer(429, "too many unknown tokens; try again in \(seconds) s")
    answer.headers = [("Retry-After", "\(seconds)")]
    return answer
  }

  private func answer(_ access: Access) -> Result {
    if let file = resource.file {
      var answer = WebAnswer(type: file.type, file.bytes)
      if resource == .client {
        answer.headers = [
          ("Access-Control-Allow-Origin", "*"), ("Cross-Origin-Resource-Policy", "cross-origin"),
        ]
      }
      return .answer(answer)
    }
    switch resource {
    case .events: return .events(access)
    case .session: return openSession()
    case .topology: return .answer(WebAnswer(json: report(access).topology))
    case .trial: return trial(access)
    case .graph:
      let lines = report(access).graph.lines(.dot).map { "\($0)\n" }.joined()
      return .answer(WebAnswer(type: "text/vnd.graphviz; charset=utf-8", Array(lines.utf8)))
    case .metrics:
      engine.watch.want(for: Watch.scrape)
      return .metrics(MetricsPage(engine, for: engine.gate(for: access)))
    case .readiness:
      let reasons = engine.unreadiness(for: engine.gate(for: access))
      return .answer(
        reasons.isEmpty ? WebAnswer(200, "ok") : WebAnswer(503, reasons.joined(separator: "\n"))
      )
    case .login: return .answer(.login(200))
    case .health, .page, .style, .script, .client: return .answer(WebAnswer(200, "ok"))
    }
  }

  private func report(_ access: Access) -> WatchReport {
    let query = WatchQuery(name: request.query("name") ?? "", filter: request.query("filter") ?? "")
    return engine.watch.report(query, for: access)
  }

  /// A trial of a pipeline: depends only on the query and on definitions.
  private func trial(_ access: Access) -> Result {
    var trial = Trial(request.query("expr") ?? "")
    var numbers: [String: Int] = [:]
    for name in ["tick", "ticks", "until"] {
      guard let text = request.query(name) else { continue }
      guard let number = Int(text) else {
        return .answer(WebAnswer(400, "\(name) is \"\(text.excerpt(40))\", expected a number"))
      }
      numbers[name] = number
    }
    trial.tick = numbers["tick"] ?? trial.tick
    trial.ticks = numbers["ticks"] ?? trial.ticks
    trial.rows = request.queries("in")
    let visible = VisibleNames(engine, engine.gate(for: access))
    trial.names = visible.names
    if let ask = request.query("ask") { trial.ask = ask }
    trial.look(up: visible)
    return .trial(trial, testUntil: numbers["until"] ?? trial.ticks)
  }

  private func openSession() -> Result {
    switch WebSocketHandshake.answer(request, subprotocol: "flow.1") {
    case .accepted(let head): return .session(head)
    case .refused(let head, let reason):
      var answer = WebAnswer(head.status, reason)
      answer.headers = head.headers
      return .answer(answer)
    }
  }
}

extension Engine {
  /// Why new clients should not use the server now; empty if all is well.
  func unreadiness(for gate: Gate) -> [String] {
    var reasons: [String] = []
    if clients.isGoing { reasons.append("draining") }
    let failed = registry.runs.filter { if case .failed = $0.state { true } else { false } }
    reasons += failed.filter { gate.reads($0.name) }.map { "run \($0.name) has failed" }
    if failed.contains(where: { !gate.reads($0.name) }) { reasons.append("a run has failed") }
    return reasons + stores.unreadiness
  }
}
