import FlowNATS
import Testing

@Suite("JetStream")
struct JetStreamTests {
  private let names = JetStream()

  @Test("asks for a stream as a server was seen to accept it")
  func createStream() {
    let settings = StreamSettings(
      replicas: 3,
      storage: .file,
      mostMessages: 69632,
      refusesWhenFull: true
    )
    let request = names.create("orders", settings)
    #expect(request.subject == "$JS.API.STREAM.CREATE.flow_orders")
    #expect(
      request.payload
        == #"{"name":"flow_orders","subjects":["flow.v.orders","flow.e.orders"],"#
        + #""retention":"limits","storage":"file","num_replicas":3,"max_msgs":69632,"#
        + #""discard":"new","allow_atomic":true,"duplicate_window":120000000000}"#
    )
    var ended = settings
    ended.takesNoValues = true
    #expect(names.update("orders", ended).payload.contains(#""subjects":["flow.e.orders"]"#))
  }

  @Test("leases are in memory, so that values can be read when the disk is full")
  func leases() {
    #expect(names.createLeases(replicas: 1).payload.contains(#""storage":"memory""#))
    #expect(names.createNames(replicas: 1).payload.contains(#""storage":"file""#))
  }

  @Test("impossible sequence numbers are ignored, and sums of counts do not overflow")
  func greatNumbers() throws {
    let great = UInt64.max
    #expect(reply(#"{"seq":\#(great)}"#) { PublishAnswer($0) } == .unknown(.noAnswer))
    let state = #"{"config":{},"state":{"last_seq":\#(great)}}"#
    #expect(throws: JetStreamError.noAnswer) { try reply(state) { try StreamAnswer($0) } }
    let row =
      #"{"name":"x","config":{"opt_start_seq":\#(great)},"num_pending":\#(great),"#
      + #""num_ack_pending":\#(great),"ack_floor":{"stream_seq":\#(great)}}"#
    let page = try reply(#"{"total":1,"consumers":[\#(row)]}"#) { try ConsumerPage($0) }
    #expect(page.rows == [.init(name: "x", floor: 0, behind: 1 << 54)])
    #expect(serverInfo(#"{"version":"2.15.1","headers":true,"max_payload":9}"#).longestValue == 0)
  }

  @Test("levels of a name are levels of a subject, and one token elsewhere")
  func levels() {
    #expect(names.values("a/b/c") == "flow.v.a.b.c" && names.end("a/b") == "flow.e.a.b")
    #expect(names.stream("a/b/c") == "flow_a+b+c")
    #expect(names.info("a/b").subject == "$JS.API.STREAM.INFO.flow_a+b")
    #expect(names.definition("a/b") == "flow.n.a+b" && names.lease("a/b") == "flow.l.a+b")
    #expect(names.name(definedAt: names.definition("a/b-c")) == "a/b-c")
    #expect(names.service(calledAt: names.calls(of: "img/resize")) == "img/resize")
    #expect(names.taker(of: "img/resize") == "w-img+resize")
  }

  @Test("asks for consumers, values and signs of life")
  func consumers() {
    let settings = ConsumerSettings(
      start: 7,
      acknowledges: true,
      threshold: 30_000_000_000,
      server: "a\"\n:4050"
    )
    let create = names.create(consumer: "s-e-1", of: "orders", settings)
    #expect(create.subject == "$JS.API.CONSUMER.CREATE.flow_orders.s-e-1")
    #expect(
      create.payload
        == #"{"stream_name":"flow_orders","config":{"name":"s-e-1","durable_name":"s-e-1","#
        + #""ack_policy":"all","ack_wait":2000000000,"max_ack_pending":-1,"#
        + #""deliver_policy":"by_start_sequence","opt_start_seq":7,"#
        + #""inactive_threshold":30000000000,"metadata":{"flow-server":"a\u0022\u000a:4050"}}}"#
    )
    let pull = names.pull(2, by: "s-e-1", of: "orders")
    #expect(pull.subject == "$JS.API.CONSUMER.MSG.NEXT.flow_orders.s-e-1")
    #expect(pull.payload == #"{"batch":2,"expires":30000000000,"idle_heartbeat":5000000000}"#)
    let sign = names.signOfLife(by: "s-e-1", of: "orders")
    #expect(sign.payload == #"{"batch":1,"max_bytes":1,"no_wait":true}"#)
    #expect(names.purge("orders", before: 8).payload == #"{"seq":8}"#)
  }

  @Test("goes by a leaf node's domain, and by another prefix")
  func domain() {
    let hub = JetStream(prefix: "shop", domain: "hub")
    #expect(hub.info("orders").subject == "$JS.hub.API.STREAM.INFO.shop_orders")
    #expect(hub.values("orders") == "shop.v.orders")
  }

  @Test(
    "knows what came of publishing",
    arguments: [
      (#"{"stream":"flow_orders","seq":7}"#, PublishAnswer.stored(last: 7)),
      (#"{"stream":"flow_orders","seq":7,"duplicate": true}"#, .stored(last: 7)),
      (#"{"stream":"flow_orders","seq":9,"batch":"e.42","count":2}"#, .stored(last: 9)),
      (error(10201, "atomic publish batch contains duplicate message id"), .repeated),
      (error(10077, "maximum messages exceeded"), .full),
      (error(10023, "x"), .noStorage(JetStreamError(code: 10023, text: "x"))),
      (error(10028, "x"), .noStorage(JetStreamError(code: 10028, text: "x"))),
      (error(10047, "x"), .noStorage(JetStreamError(code: 10047, text: "x"))),
      (error(10071, "wrong last sequence: 1"), .preceded(last: 1)),
      (error(10071, "wrong last sequence"), .preceded(last: nil)),
      (error(10008, "x"), .unknown(JetStreamError(code: 10008, text: "x"))),
      (error(10176, "x"), .unknown(JetStreamError(code: 10176, text: "x"))),
      (error(10210, "x"), .unknown(JetStreamError(code: 10210, text: "x"))),
      ("", .unknown(.noAnswer)), ("{\"seq\":", .unknown(.noAnswer)),
    ]
  )
  func publishing(_ json: String, _ answer: PublishAnswer) {
    #expect(reply(json) { PublishAnswer($0) } == answer)
  }

  private static func error(_ code: Int, _ text: String) -> String {
    #"{"error":{"code":400,"err_code":\#(code),"description":"\#(text)"},"stream":"s","seq":0}"#
  }

  @Test("a status is no answer, and neither is silence")
  func missing() {
    let empty = UnsafeRawBufferPointer(start: nil, count: 0)
    let status = NATSReply(empty, status: .init(503, ""))
    #expect(PublishAnswer(status) == .unknown(JetStreamError(code: 0, text: "503 ")))
    #expect(PublishAnswer(.missing) == .unknown(.noAnswer))
    #expect(throws: JetStreamError.noAnswer) { try StreamAnswer(.missing) }
  }

  @Test("reads what a stream is like")
  func stream() throws {
    let json =
      #"{"type":"io.nats.jetstream.api.v1.stream_create_response","config":{"name":"flow_orders","#
      + #""subjects":["flow.v.orders","flow.e.orders"],"max_msgs":69632,"discard":"new","#
      + #""storage":"file","num_replicas":3},"state":{"messages":3,"first_seq":4,"last_seq":6,"#
      + #""consumer_count":2},"did_create":true}"#
    let answer = try reply(json) { try StreamAnswer($0) }
    #expect(answer.first == 4)
    #expect(answer.last == 6)
    #expect(answer.consumers == 2)
    #expect(
      answer.settings
        == StreamSettings(replicas: 3, storage: .file, mostMessages: 69632, refusesWhenFull: true)
    )
    let empty =
      #"{"config":{"subjects":["a"]},"state":{"messages":0,"first_seq":0,"last_seq":6}}"#
    let ended = try reply(empty) { try StreamAnswer($0) }
    #expect(ended.first == 7)
    #expect(ended.settings.takesNoValues)
    let taken = Self.error(10058, "stream name already in use")
    #expect(throws: JetStreamError(code: 10058, text: "stream name already in use")) {
      try reply(taken) { try StreamAnswer($0) }
    }
  }

  @Test("reads who holds values, and whether all could be asked")
  func consumerPages() throws {
    let row = #"{"name":"s-e-1","config":{"opt_start_seq":7},"ack_floor":{"stream_seq":0}}"#
    let other =
      #"{"name":"s-f-1","config":{"metadata":{"flow-server":"b:1","_nats.level":"1"}},"#
      + #""ack_floor":{"consumer_seq":2,"stream_seq":9},"num_ack_pending":2,"num_pending":3}"#
    func page(_ rest: String) throws -> ConsumerPage {
      try reply(#"{"total":2,"offset":0,"limit":256,"consumers":[\#(row),\#(other)]\#(rest)}"#) {
        try ConsumerPage($0)
      }
    }
    #expect(
      try page("").rows == [
        .init(name: "s-e-1", floor: 6),
        .init(name: "s-f-1", floor: 9, behind: 5, server: "b:1"),
      ]
    )
    #expect(try page("").isWhole)
    #expect(try page(#","missing":null,"offline":{}"#).isWhole)
    #expect(try !page(#","missing":["s-g-1"]"#).isWhole)
    #expect(try !page(#","offline":{"s-g-1":"unsupported"}"#).isWhole)
    #expect(throws: JetStreamError.noAnswer) { try reply("{}") { try ConsumerPage($0) } }
  }

  @Test(
    "reads where a value is acknowledged",
    arguments: [
      "$JS.ACK.flow_orders.s-e-1.1.7.1.1795330037771239944.2",
      "$JS.ACK.hub.ACCHASH.flow_orders.s-e-1.1.7.1.1795330037771239944.2",
      "$JS.ACK.hub.ACCHASH.flow_orders.s-e-1.1.7.1.1795330037771239944.2.random",
    ]
  )
  func ack(_ text: String) throws {
    let bytes = Array(text.utf8)
    let ack = try #require(bytes.withUnsafeBytes { AckSubject($0, 0..<bytes.count) })
    #expect(ack.sequence == 7)
    #expect(ack.pending == 2)
    #expect(String(decoding: bytes[ack.stream], as: UTF8.self) == "flow_orders")
    #expect(String(decoding: bytes[ack.consumer], as: UTF8.self) == "s-e-1")
  }

  @Test(
    "takes nothing else for one",
    arguments: [
      "", "$JS.ACK.", "_INBOX.e.1", "$JS.ACK.s.c.1.x.1.1.2", "$JS.ACK.s.c.1.7.1.1",
      "$JS.ACK........",
      "$JS.ACK.d.s.c.1.7.1.1.2", "$JS.ACK.s.c.1.18446744073709551615.1.1.2",
    ]
  )
  func noAck(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(bytes.withUnsafeBytes { AckSubject($0, 0..<bytes.count) } == nil)
  }

  @Test("reads INFO, and says what keeps Flow from using that server")
  func info() {
    let json =
      #"{"server_id":"x","version":"2.15.1","headers":true,"max_payload":2048,"jetstream":true,"#
      + #""connect_urls":["10.0.0.1:4222","[::1]:4222"]}"#
    let info = serverInfo(json)
    #expect(info.longestMessage == 2048)
    #expect(info.otherServers == ["10.0.0.1:4222", "[::1]:4222"])
    #expect(info.objection == nil)
    for version in ["2.14.0", "2.14.0-RC.1", "2.15.1", "3.0.0"] {
      #expect(serverInfo(#"{"version":"\#(version)","headers":true}"#).objection == nil)
    }
    for version in ["2.12.15", "2.13.9", "2.9.10", "1.4.1", "", "2.14", "x"] {
      let old = serverInfo(#"{"version":"\#(version)","headers":true}"#)
      #expect(old.objection?.message.contains("2.14.0 or later is needed") == true)
    }
    let secret = serverInfo(#"{"version":"2.15.1","headers":true,"tls_required":true}"#)
    #expect(secret.objection?.message.contains("leaf node") == true)
    #expect(serverInfo(#"{"version":"2.15.1"}"#).objection?.code == .unsuitable)
  }
}

@Suite("FieldSearch")
struct FieldSearchTests {
  private func search<R>(_ text: String, _ body: (FieldSearch) throws -> R) rethrows -> R {
    try Array(text.utf8).withUnsafeBytes { try body(FieldSearch($0)) }
  }

  @Test("finds members, whatever stands before them")
  func members() {
    let json =
      #" { "a" : [1,{"seq":3},"]}"], "b\"c":"x", "seq" : 7 ,"#
      + #" "s":"a\u003eb\ud83d\ude00\n\"" }"#
    search(json) { json in
      #expect(json["seq"]?.number == 7)
      #expect(json["s"]?.text == "a>b😀\n\"")
      #expect(json["a"]?.elements.count == 3)
      #expect(json["a"]?.elements[1]["seq"]?.number == 3)
      #expect(json["none"] == nil)
      #expect(json["seq"]?.text == nil)
      #expect(json["s"]?.number == nil)
    }
  }

  @Test(
    "takes what is malformed for nothing",
    arguments: [
      "", "{", "{\"", "{\"seq", "{\"seq\"", "{\"seq\":", "{\"seq\":}", "{\"seq\":\"",
      "{\"seq\":-1}",
      "{\"seq\":1.5}", "{\"seq\":18446744073709551616}", "[", "[{", "{\"seq\":\"\\", "seq", "{,}",
      "{\"a\":{\"seq\":1}",
    ]
  )
  func malformed(_ text: String) {
    search(text) { json in
      #expect(json["seq"]?.number == nil)
      _ = json["seq"]?.text
      _ = json.elements
      _ = json.text
      _ = json.isEmpty
    }
  }
}

func reply<R>(_ json: String, _ body: (NATSReply) throws -> R) rethrows -> R {
  try Array(json.utf8).withUnsafeBytes { try body(NATSReply($0)) }
}

func serverInfo(_ json: String) -> ServerInfo {
  Array(json.utf8).withUnsafeBytes { ServerInfo($0) }
}
