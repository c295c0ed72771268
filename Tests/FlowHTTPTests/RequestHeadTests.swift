import FlowHTTP
import Testing

@Suite("RequestHead")
struct RequestHeadTests {
  @Test("decodes the query")
  func query() {
    let head = RequestReading.head(
      "GET /a%2Fb/%C3%A9+?in=a+b&in=c%26d&&empty=&bare&=x&eq=a=b?c HTTP/1.0⏎⏎"
    )
    #expect(head?.path == "/a/b/é+")
    #expect(head?.query("in") == "a b")
    #expect(head?.queries("in") == ["a b", "c&d"])
    #expect(head?.query("empty") == "")
    #expect(head?.query("bare") == "")
    #expect(head?.query("") == "x")
    #expect(head?.query("eq") == "a=b?c")
    #expect(head?.query("absent") == nil)
    #expect(head?.queries("absent") == [])
    #expect(head?.query.count == 6)
    #expect(RequestReading.head("GET /? HTTP/1.0⏎⏎")?.query == [])
  }

  @Test("joins the values of a header, and keeps one Host")
  func headers() {
    let head = RequestReading.head(
      "GET / HTTP/1.1⏎Accept: a⏎hOST: h:1 ⏎ACCEPT:\tb c ⏎Host: h:1⏎Empty:⏎⏎"
    )
    #expect(head?.header("accept") == "a, b c")
    #expect(head?.header("host") == "h:1")
    #expect(head?.header("empty") == "")
    #expect(head?.header("absent") == nil)
    #expect(head?.headers.count == 4)
    #expect(head?.minorVersion == 1)
  }

  @Test("takes the host from a target that names one")
  func host() {
    let proxied = RequestReading.head("GET http://b:8/ HTTP/1.1⏎Host: a⏎X: y⏎⏎")
    #expect(proxied?.header("host") == "b:8")
    #expect(RequestReading.head("GET http://[::1]/ HTTP/1.0⏎⏎")?.header("host") == "[::1]")
  }

  @Test("repairs a value that is not UTF-8")
  func repairs() {
    let bytes = wire("GET / HTTP/1.0⏎X: a") + [0xE9] + wire("b⏎⏎")
    guard case .request(let head, _)? = RequestReading.read([bytes]).first else {
      Issue.record("the request is refused")
      return
    }
    #expect(head.header("x") == "a\u{FFFD}b")
  }

  @Test("finds cookies")
  func cookies() {
    let head = RequestReading.head(
      #"GET / HTTP/1.0⏎Cookie: a=1; b="2 3";c = x=y ; a=4; bad⏎Cookie: d=; e="⏎⏎"#
    )
    #expect(head?.cookie("a") == "1")
    #expect(head?.cookie("b") == "2 3")
    #expect(head?.cookie("c") == "x=y")
    #expect(head?.cookie("d") == "")
    #expect(head?.cookie("e") == "\"")
    #expect(head?.cookie("bad") == nil)
    #expect(head?.cookie("A") == nil)
  }

  @Test(
    "says whether the connection stays",
    arguments: [
      ("GET / HTTP/1.1⏎Host: a⏎⏎", true),
      ("GET / HTTP/1.1⏎Host: a⏎Connection: Close⏎⏎", false),
      ("GET / HTTP/1.1⏎Host: a⏎Connection: upgrade⏎Connection: x , close⏎⏎", false),
      ("GET / HTTP/1.1⏎Host: a⏎Connection: closed⏎⏎", true),
      ("GET / HTTP/1.0⏎⏎", false),
      ("GET / HTTP/1.0⏎Connection: Keep-Alive⏎⏎", true),
      ("GET / HTTP/1.0⏎Connection: keep-alive, close⏎⏎", false),
    ]
  )
  func keepsAlive(_ text: String, _ expected: Bool) {
    #expect(RequestReading.head(text)?.keepsAlive == expected)
  }
}
