import FlowHTTP
import FlowTestSupport
import Testing

@Suite("RequestDecoder")
struct RequestDecoderTests {
  static let long = String(repeating: "x", count: 9000)

  /// Transcripts, and what is read of each: the methods and paths, the bodies, the last refusal.
  static let transcripts: [(String, [String])] = [
    ("GET / HTTP/1.1⏎Host: a⏎⏎", ["GET / "]),
    ("⏎⏎⏎⏎GET /a%20b?c=d HTTP/1.0⏎⏎", ["GET /a b "]),
    (
      "POST /x HTTP/1.1⏎host:a⏎Content-Length: 5⏎⏎helloGET /y HTTP/1.1⏎HOST: \t a \t⏎⏎",
      ["POST /x hello", "GET /y "]
    ),
    (
      "POST /x HTTP/1.1⏎Host: a⏎Content-Length: 0⏎⏎⏎GET / HTTP/1.1⏎Host:⏎⏎", ["POST /x ", "GET / "]
    ),
    ("GET http://b.example:80/c?d HTTP/1.1⏎Host: a⏎⏎", ["GET /c "]),
    ("GET HTTP://b?d=e HTTP/1.1⏎Host: a⏎⏎", ["GET / "]),
    ("GET / HTTP/1.1⏎Host: a⏎⏎ GET / HTTP/1.1⏎", ["GET / ", "400"]),
    ("GET / HTTP/1.1⏎Host: a⏎Content-Length: 2⏎⏎abc\u{1}", ["GET / ab", "400"]),
  ]

  private static func summary(_ requests: [ReadRequest]) -> [String] {
    requests.map {
      switch $0 {
      case .request(let head, let body): "\(head.method) \(head.path) \(body)"
      case .refused(let status, _): "\(status)"
      }
    }
  }

  @Test("reads requests at once, byte by byte and split anywhere", arguments: transcripts)
  func transcript(_ text: String, _ expected: [String]) {
    let bytes = wire(text)
    let whole = RequestReading.read([bytes])
    #expect(Self.summary(whole) == expected)
    #expect(RequestReading.read(bytes.map { [$0] }) == whole)
    for first in bytes.indices {
      for second in first..<bytes.count {
        let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
        #expect(RequestReading.read(pieces) == whole, "\(first), \(second)")
      }
    }
  }

  /// What follows the first line if that is good.
  static let refusals: [(String, Int, String)] = [
    ("⏎⏎⏎⏎⏎GET / HTTP/1.1⏎Host: a⏎⏎", 400, "there are more than 4 empty lines"),
    ("\nGET / HTTP/1.1⏎", 400, "a line does not end with CR LF"),
    ("GET / HTTP/1.1\nHost: a\n\n", 400, "a line does not end with CR LF"),
    ("GET / HTTP/1.1\rHost: a\n\n", 400, "a line does not end with CR LF"),
    ("\r\r\n", 400, "a line does not end with CR LF"),
    ("\u{16}\u{3}\u{1}", 400, "there is a control character in the head"),
    ("GET /\u{0}", 400, "there is a control character in the head"),
    ("GET⏎", 400, "expected METHOD TARGET HTTP/1.1, found 1 words"),
    ("GET /⏎", 400, "expected METHOD TARGET HTTP/1.1, found 2 words"),
    ("GET  / HTTP/1.1⏎", 400, "expected METHOD TARGET HTTP/1.1, found 4 words"),
    (" / HTTP/1.1⏎", 400, "the method is not a word"),
    ("GE:T / HTTP/1.1⏎", 400, "the method is not a word"),
    ("GÉT / HTTP/1.1⏎", 400, "the method is not a word"),
    ("GET  HTTP/1.1⏎", 400, "the target is missing"),
    ("GET /é HTTP/1.1⏎", 400, "the target contains a character that must be percent-encoded"),
    ("GET /a#b HTTP/1.1⏎", 400, "the target contains a character that must be percent-encoded"),
    ("GET\t/ HTTP/1.1⏎", 400, "expected METHOD TARGET HTTP/1.1, found 2 words"),
    ("GET /\t HTTP/1.1⏎", 400, "the target contains a character that must be percent-encoded"),
    ("GET / http/1.1⏎", 400, "expected HTTP/1.1 at the end of the first line"),
    ("GET / HTTP/1.10⏎", 400, "expected HTTP/1.1 at the end of the first line"),
    ("GET / HTTP/x.1⏎", 400, "expected HTTP/1.1 at the end of the first line"),
    ("GET / HTTP/0.9⏎", 505, "only HTTP/1 is spoken here"),
    ("PRI * HTTP/2.0⏎⏎SM⏎⏎", 505, "only HTTP/1 is spoken here"),
    ("GET / HTTP/1.2⏎⏎", 400, "Host is missing"),
    ("OPTIONS * HTTP/1.1⏎", 400, "the target does not begin with / or http://"),
    ("CONNECT a:80 HTTP/1.1⏎", 400, "the target does not begin with / or http://"),
    ("GET https://a/ HTTP/1.1⏎", 400, "the target does not begin with / or http://"),
    ("GET http:///a HTTP/1.1⏎", 400, "the target has no host"),
    ("GET http://me@b/a HTTP/1.1⏎", 400, "the target has no host"),
    ("GET /%zz HTTP/1.1⏎", 400, "the path is not percent-encoded UTF-8"),
    ("GET /%4 HTTP/1.1⏎", 400, "the path is not percent-encoded UTF-8"),
    ("GET /%FF HTTP/1.1⏎", 400, "the path is not percent-encoded UTF-8"),
    ("GET /%C0%AF HTTP/1.1⏎", 400, "the path is not percent-encoded UTF-8"),
    ("GET /a%00 HTTP/1.1⏎", 400, "the path is not percent-encoded UTF-8"),
    ("GET /?a=%e9 HTTP/1.1⏎", 400, "the query is not percent-encoded UTF-8"),
    ("GET /?%=1 HTTP/1.1⏎", 400, "the query is not percent-encoded UTF-8"),
    ("GET / HTTP/1.1⏎⏎", 400, "Host is missing"),
    ("GET http://a/ HTTP/1.1⏎⏎", 400, "Host is missing"),
    ("GET / HTTP/1.1⏎ Host: a⏎⏎", 400, "a header continues on a second line"),
    ("GET / HTTP/1.1⏎Host: a⏎\tb⏎⏎", 400, "a header continues on a second line"),
    ("GET / HTTP/1.1⏎Host⏎⏎", 400, "a header has no colon"),
    ("GET / HTTP/1.1⏎Host : a⏎⏎", 400, "the name of a header is not a word"),
    ("GET / HTTP/1.1⏎: a⏎⏎", 400, "the name of a header is not a word"),
    ("GET / HTTP/1.1⏎X(y): a⏎⏎", 400, "the name of a header is not a word"),
    ("GET / HTTP/1.1⏎X: a\u{7F}⏎⏎", 400, "there is a control character in the head"),
    ("GET / HTTP/1.1⏎X: a\rb⏎⏎", 400, "a line does not end with CR LF"),
    ("GET / HTTP/1.1⏎Host: a⏎Host: b⏎⏎", 400, "there are two host headers, and they differ"),
    ("GET / HTTP/1.1⏎Host: a, b⏎⏎", 400, "Host is not a host"),
    ("GET / HTTP/1.1⏎Host: a/b⏎⏎", 400, "Host is not a host"),
    (
      "GET / HTTP/1.1⏎Content-Length: 1⏎Content-Length: 2⏎⏎", 400,
      "there are two content-length headers, and they differ"
    ),
    ("GET / HTTP/1.1⏎Content-Length: 1, 1⏎⏎", 400, "Content-Length is not a number"),
    ("GET / HTTP/1.1⏎Content-Length: -1⏎⏎", 400, "Content-Length is not a number"),
    ("GET / HTTP/1.1⏎Content-Length: +1⏎⏎", 400, "Content-Length is not a number"),
    ("GET / HTTP/1.1⏎Content-Length:⏎⏎", 400, "Content-Length is not a number"),
    ("GET / HTTP/1.1⏎Content-Length: 8193⏎⏎", 413, "the body has more than 8192 bytes"),
    (
      "GET / HTTP/1.1⏎Content-Length: 99999999999999999999999⏎⏎", 413,
      "the body has more than 8192 bytes"
    ),
    (
      "GET / HTTP/1.1⏎Transfer-Encoding: chunked⏎⏎", 501,
      "Transfer-Encoding is not supported; send Content-Length"
    ),
    (
      "GET / HTTP/1.0⏎Transfer-Encoding: identity⏎⏎", 501,
      "Transfer-Encoding is not supported; send Content-Length"
    ),
    ("GET /\(long) HTTP/1.1⏎", 414, "the first line has more than 8192 bytes"),
    ("GET / HTTP/1.1⏎X: \(long)⏎⏎", 431, "the head has more than 8192 bytes"),
    (
      "GET / HTTP/1.1⏎\(String(repeating: "X: y⏎", count: 101))⏎", 431,
      "there are more than 100 headers"
    ),
  ]

  @Test("refuses and says why, whatever the pieces", arguments: refusals)
  func refusal(_ text: String, _ status: Int, _ reason: String) {
    let bytes = wire(text)
    let refusal = [ReadRequest.refused(status: status, reason: reason)]
    #expect(RequestReading.read([bytes]) == refusal)
    #expect(RequestReading.read(bytes.map { [$0] }) == refusal)
    for place in bytes.indices.prefix(200) {
      #expect(RequestReading.read([bytes[..<place], bytes[place...]]) == refusal)
    }
    #expect(!ResponseHead.phrase(status).isEmpty)
  }

  @Test("takes what is as long as the limits, and no byte more")
  func limits() {
    let start = "GET / HTTP/1.1⏎Host: a⏎X: "
    let room = RequestDecoder.longestHead - wire(start + "⏎⏎").count
    let fill = String(repeating: "x", count: room)
    #expect(RequestReading.head("\(start)\(fill)⏎⏎") != nil)
    #expect(RequestReading.head("⏎⏎\(start)\(fill)⏎⏎") != nil)
    #expect(RequestReading.head("\(start)\(fill)x⏎⏎") == nil)
    let headers = String(repeating: "X: y⏎", count: RequestDecoder.mostHeaders - 1)
    #expect(RequestReading.head("GET / HTTP/1.1⏎Host: a⏎\(headers)⏎") != nil)
    let body = String(repeating: "b", count: RequestDecoder.longestBody)
    let text = "GET / HTTP/1.1⏎Host: a⏎Content-Length: 08192⏎⏎\(body)"
    #expect(RequestReading.head(text)?.contentLength == 8192)
    #expect(RequestReading.head(String(text.dropLast())) == nil)
  }

  @Test("tells an idle connection from a slow one")
  func idle() {
    var decoder = RequestDecoder()
    func feed(_ text: String) -> RequestDecoder.Outcome {
      var offset = 0
      return wire(text).withUnsafeBytes { decoder.next($0, &offset) }
    }
    #expect(decoder.isBetweenRequests)
    #expect(feed("⏎") == .incomplete)
    #expect(decoder.isBetweenRequests)
    #expect(feed("GET / HTTP/1.0⏎") == .incomplete)
    #expect(!decoder.isBetweenRequests)
    #expect(feed("⏎") != .incomplete)
    #expect(decoder.isBetweenRequests)
  }

  @Test("serves a later minor version of HTTP as 1.1", arguments: 1...9)
  func later(_ minor: Int) {
    let head = RequestReading.head("GET / HTTP/1.\(minor)⏎Host: a⏎⏎")
    #expect(head?.minorVersion == 1)
    #expect(head?.keepsAlive == true)
  }

  @Test(
    "reports once that the client waits for a 100 Continue",
    arguments: [
      ("1.1", "100-continue", true), ("1.1", "100-Continue", true), ("1.0", "100-continue", false),
      ("1.1", "something", false),
    ]
  )
  func expectation(_ version: String, _ expectation: String, _ isTold: Bool) {
    var decoder = RequestDecoder()
    let head = "POST / HTTP/\(version)⏎Host: a⏎Content-Length: 3⏎Expect: \(expectation)⏎⏎"
    func feed(_ bytes: [UInt8], _ offset: inout Int) -> RequestDecoder.Outcome {
      bytes.withUnsafeBytes { decoder.next($0, &offset) }
    }
    var offset = 0
    #expect(feed(wire(head), &offset) == (isTold ? .awaitsContinue : .incomplete))
    offset = 0
    #expect(feed([0x61], &offset) == .incomplete)
    guard case .request(_, let body) = feed(Array("abc".utf8), &offset) else {
      Issue.record("the request is incomplete")
      return
    }
    #expect(body == 0..<3)
    // If the body comes with the head, the client does not wait.
    #expect(RequestReading.read([wire(head + "abc")]).count == 1)
  }

  @Test("looks at no byte twice")
  func looksOnce() {
    var decoder = RequestDecoder()
    var offset = 0
    let first = wire("GET / HTTP/1.0⏎X: abc").withUnsafeBytes { decoder.next($0, &offset) }
    #expect(first == .incomplete)
    // A control character where one has looked already is not seen.
    let second = wire("GET / HTTP/1.0⏎X: a\u{1}c⏎⏎").withUnsafeBytes { decoder.next($0, &offset) }
    guard case .request(let head, let body) = second else {
      Issue.record("\(second)")
      return
    }
    #expect(head.header("x") == "a\u{1}c")
    #expect(body == 26..<26)
  }

  @Test("refuses all that follows a refusal")
  func afterRefusal() {
    var decoder = RequestDecoder()
    var offset = 0
    let first = wire("x⏎").withUnsafeBytes { decoder.next($0, &offset) }
    offset = 0
    let second = wire("GET / HTTP/1.0⏎⏎").withUnsafeBytes { decoder.next($0, &offset) }
    #expect(first == second)
  }

  @Test("reads the same whatever the pieces, of any bytes", arguments: 1...20)
  func noise(_ seed: UInt64) {
    var generator = SeededGenerator(state: seed)
    let words = [
      "GET ", "POST ", "/", "/a%20", "%", "?a=b&", " HTTP/1.1⏎", " HTTP/1.0⏎", "⏎", "\r", "\n", " ",
      "Host: a⏎", "Content-Length: 3⏎", "Content-Length: 9⏎", "abc", ": ", "X", ",", "\t", "é",
      "\0",
      "GET / HTTP/1.1⏎Host: a⏎⏎", "POST / HTTP/1.0⏎Content-Length: 2⏎⏎", "http://h", "Cookie: a=b⏎",
    ]
    for _ in 0..<RandomCases.count(200) {
      let bytes = (0..<Int.random(in: 1...30, using: &generator)).flatMap { _ in
        Int.random(in: 0..<10, using: &generator) == 0
          ? [UInt8.random(in: 0...255, using: &generator)]
          : wire(words.randomElement(using: &generator) ?? "")
      }
      let whole = RequestReading.read([bytes])
      var pieces = RequestReading()
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Int.random(in: 1...min(9, rest.count), using: &generator)
        pieces.receive(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(pieces.requests == whole)
    }
  }
}
