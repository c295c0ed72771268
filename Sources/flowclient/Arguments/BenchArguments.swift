import FlowWire
import Programs

/// The options of `bench`, as they come, and the request that they make together.
struct BenchArguments {
  var clients: UInt64?
  var subscribers: UInt64?
  var size: UInt64?
  var values: UInt64?
  var rate: Double?
  var slow: UInt64?
  var subject: String?
  var flow: BenchRequest.Flow?
  var thresholds = BenchThresholds()
  var isJSON = false
  var isCSV = false

  private static let mostClients: UInt64 = 100_000

  /// What `operands`, these options and those that `bench` shares with `sub` ask for.
  func request(
    _ operands: ArraySlice<String>,
    _ shared: SubscribeRequest
  ) throws(UsageError) -> BenchRequest {
    let forms = BenchRequest.Form.allCases.map(\.rawValue).joined(separator: ", ")
    guard let word = operands.first else { throw refusal("bench needs one of \(forms)") }
    guard let form = BenchRequest.Form(rawValue: word.lowercased()) else {
      throw refusal("bench is \"\(word)\", expected one of \(forms)")
    }
    if let rest = operands.dropFirst().first {
      throw refusal("unexpected argument \"\(rest)\"; bench \(word) takes only options")
    }
    var request = BenchRequest(form: form)
    try setClients(&request)
    try setLoad(&request, shared)
    try setReaders(&request, shared)
    request.subject = subject
    request.flow = flow ?? (form == .pub ? .free : .slowest)
    request.timeout = shared.timeout
    request.thresholds = thresholds
    if isJSON, isCSV { throw refusal("--json and --csv cannot be combined") }
    request.output = isJSON ? .json : isCSV ? .csv : .text
    try check(request)
    return request
  }

  private func setClients(_ request: inout BenchRequest) throws(UsageError) {
    for (name, number) in [("--clients", clients), ("--subscribers", subscribers)] {
      if let number, number > Self.mostClients {
        throw refusal("\(name) is \"\(number)\", expected at most \(Self.mostClients)")
      }
    }
    let clients = self.clients.map { Int($0) }
    let subscribers = self.subscribers.map { Int($0) }
    switch request.form {
    case .pub, .sub:
      if subscribers != nil {
        throw refusal("--subscribers is for e2e and fanout; use --clients here")
      }
      request.publishers = request.form == .pub ? clients ?? 1 : 0
      request.subscribers = request.form == .sub ? clients ?? 1 : 0
    case .e2e:
      request.publishers = clients ?? 1
      request.subscribers = subscribers ?? 1
    case .fanout:
      if clients != nil {
        throw refusal("fanout has one publisher; --subscribers sets the number of readers")
      }
      request.subscribers = subscribers ?? 10
    }
  }

  private func setLoad(
    _ request: inout BenchRequest,
    _ shared: SubscribeRequest
  ) throws(UsageError) {
    if values != nil, shared.length != nil {
      throw refusal("--values and --for cannot be combined")
    }
    if let values { request.length = .values(values) }
    if let time = shared.length {
      guard time > .zero else { throw refusal("--for is 0, expected a longer time") }
      request.length = .time(time)
    }
    if rate != nil, !request.form.publishes {
      throw refusal("--rate is for pub, e2e and fanout; sub publishes nothing")
    }
    request.rate = rate
    request.size = Int(clamping: size ?? UInt64(request.size))
    let (least, most) = (rate == nil ? BenchValue.shortest : BenchValue.shortestPaced, 1_048_576)
    guard (least...most).contains(request.size) else {
      let why =
        rate == nil
        ? "for a sender, a number and a time" : "for a sender, a number and two times, with --rate"
      throw refusal("--size is \"\(request.size)\", expected \(least) to \(most) (\(least) \(why))")
    }
  }

  private func setReaders(
    _ request: inout BenchRequest,
    _ shared: SubscribeRequest
  ) throws(UsageError) {
    request.slow = Int(clamping: slow ?? 0)
    guard request.slow <= request.subscribers else {
      throw refusal(
        "--slow is \(request.slow), expected at most \(request.subscribers), the subscribers"
      )
    }
    if shared.delay != nil, slow == nil {
      throw refusal("--delay is for slow readers; give their number with --slow N")
    }
    if shared.window != nil, !request.form.subscribes {
      throw refusal("--demand is for sub, e2e and fanout; pub has no subscribers")
    }
    if let delay = shared.delay { request.delay = delay }
    switch shared.window {
    case .unlimited: (request.window, request.slowWindow) = (.unlimited, .unlimited)
    case .upTo(let count): (request.window, request.slowWindow) = (.upTo(count), .upTo(count))
    case nil: break
    }
  }

  private func check(_ request: BenchRequest) throws(UsageError) {
    if request.form == .sub, subject == nil {
      throw UsageError(
        "sub needs --subject NAME, a subject that somebody publishes to",
        advice: "as in: flowclient bench pub --subject load & flowclient bench sub --subject load"
      )
    }
    if subject != nil, flow != nil {
      throw refusal("--flow cannot be combined with --subject, which names an existing subject")
    }
    if let subject, !Name.isName(subject) {
      throw refusal("--subject is \"\(subject)\", expected a name")
    }
    if thresholds.longestP99 != nil, !request.form.subscribes {
      throw refusal("--max-p99 is for sub, e2e and fanout; pub measures no latency")
    }
  }

  private func refusal(_ message: String) -> UsageError {
    UsageError(message, advice: "see flowclient bench --help")
  }
}
