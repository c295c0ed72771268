import FlowCore
import FlowFoundation
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@Suite("FlowRemote.publisher(_:as:)")
struct RemoteCodingTests {
  struct Order: Codable, Equatable {
    var id: Int
    var name = "x"
    var tags: [String] = []
  }

  private let address: String

  init() throws {
    (_, address) = try TestServer.start("SUBJECT orders")
  }

  @Test("reads JSON")
  func json() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<Order>(first: .unlimited)
    remote.publisher("orders", as: Order.self).subscribe(recorder)
    try await remote.command(#"SEND orders {"id":7,"name":"n","tags":["a"]}"#)
    #expect(recorder.wait(for: 1) == [Order(id: 7, name: "n", tags: ["a"])])
  }

  @Test(
    "a text is a JSON string, or else the payload as it is",
    arguments: [(#""a\nb""#, "a\nb"), ("hello", "hello"), ("42", "42"), (#""half"#, #""half"#)]
  )
  func text(_ payload: String, _ expected: String) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<String>(first: .unlimited)
    remote.publisher("orders", as: String.self).subscribe(recorder)
    try await remote.command("SEND orders \(payload)")
    #expect(recorder.wait(for: 1) == [expected])
  }

  @Test(
    "what is something else cancels the stream and says what and where",
    arguments: [
      ("x", #""x""#, "not JSON"),
      ("{}", #""{}""#, #"key "id" is missing"#),
      (#"{"id":"a"}"#, ##""{\"id\":\"a\"}""##, "at id: expected Int"),
      (#"{"id":1.5}"#, ##""{\"id\":1.5}""##, "not an Order"),
      (#"{"id":1.5"#, ##""{\"id\":1.5""##, "not JSON"),
      (
        #"{"id":1,"name":"n","tags":[1]}"#, ##""{\"id\":1,\"name\":\"n\",\"tags\":[1]}""##,
        "at tags.Index 0: expected String"
      ),
    ]
  )
  func mistakes(_ payload: String, _ shown: String, _ reason: String) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<Order>(first: .unlimited)
    remote.publisher("orders", as: Order.self).subscribe(recorder)
    try await remote.command("SEND orders \(payload)")
    #expect(recorder.waitForFailure() == .undecodable(payload: shown, reason: reason))
    #expect(try await remote.command("SEND orders 1").field("to") == "0")
  }

  @Test("a number that does not fit its type is not called invalid JSON")
  func misfits() async throws {
    let remote = try await FlowRemote.connect(to: address)
    for payload in ["1.5", "1e400", "9223372036854775808"] {
      let recorder = RemoteRecorder<Int>(first: .unlimited)
      remote.publisher("orders", as: Int.self).subscribe(recorder)
      try await remote.command("SEND orders \(payload)")
      let shown = "\"\(payload)\""
      #expect(recorder.waitForFailure() == .undecodable(payload: shown, reason: "not an Int"))
    }
    let recorder = RemoteRecorder<UInt8>(first: .unlimited)
    remote.publisher("orders", as: UInt8.self).subscribe(recorder)
    try await remote.command("SEND orders 300")
    #expect(recorder.waitForFailure() == .undecodable(payload: "\"300\"", reason: "not a UInt8"))
  }

  @Test("an invalid value of an enumeration is reported with its place")
  func enumerations() async throws {
    enum Side: String, Codable { case buy, sell }
    struct Trade: Codable { var side: Side }
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<Trade>(first: .unlimited)
    remote.publisher("orders", as: Trade.self).subscribe(recorder)
    try await remote.command(#"SEND orders {"side":"hold"}"#)
    guard case .undecodable(_, let reason) = recorder.waitForFailure() else {
      Issue.record("the stream has not failed")
      return
    }
    #expect(reason.hasPrefix("at side: ") && reason.contains("hold"), "\(reason)")
  }

  @Test("a long payload is shown shortened")
  func shortened() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<Int>(first: .unlimited)
    remote.publisher("orders", as: Int.self).subscribe(recorder)
    try await remote.command("SEND orders \(String(repeating: "x", count: 1000))")
    let shown = "\"\(String(repeating: "x", count: 61))\"… (1000 bytes)"
    #expect(recorder.waitForFailure() == .undecodable(payload: shown, reason: "not JSON"))
  }

  @Test("another decoder reads in its own way")
  func decoder() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    struct Sale: Codable, Equatable { var unitPrice: Int }
    let recorder = RemoteRecorder<Sale>(first: .unlimited)
    remote.publisher("orders", as: Sale.self, decoder: decoder).subscribe(recorder)
    try await remote.command(#"SEND orders {"unit_price":3}"#)
    #expect(recorder.wait(for: 1) == [Sale(unitPrice: 3)])
  }

  @Test("a subject writes what it reads")
  func subject() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let orders = remote.subject("orders", as: Order.self)
    let recorder = RemoteRecorder<Order>(first: .unlimited)
    orders.subscribe(recorder)
    try await remote.command("PING")
    orders.send(Order(id: 1, name: "a/b\n"))
    #expect(recorder.wait(for: 1) == [Order(id: 1, name: "a/b\n")])
  }

  @Test("the same value is always the same bytes")
  func stable() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("orders").subscribe(recorder)
    try await remote.command("PING")
    let orders = remote.subject("orders", as: Order.self)
    for id in 1...5 { orders.send(Order(id: id, name: "a/b")) }
    let expected = (1...5).map { #"{"id":\#($0),"name":"a/b","tags":[]}"# }
    #expect(recorder.waitForTexts(5) == expected)
  }

  @Test("a value that cannot be written ends the publication, after those before it")
  func unencodable() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("orders").subscribe(recorder)
    try await remote.command("PING")
    let ended = Arrivals<Subscribers.Completion<RemoteError>>()
    let numbers = remote.subject("orders", as: Double.self) { ended.add($0) }
    numbers.send(1.5)
    numbers.send(.nan)
    numbers.send(2.5)
    let error = RemoteError.unencodable(reason: "cannot encode nan")
    #expect(ended.wait() == [.failure(error)])
    #expect(recorder.texts == ["1.5"])
    #expect(try await remote.command("SEND orders 3").field("to") == "1")
  }
}
