internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport
internal import FlowWire

extension Client {
  func perform(_ command: TaggedCommand, _ line: UnsafeRawBufferPointer) {
    session.begin(tag: command.tag)
    do throws(DefinitionError) {
      try authorize(command.command)
      try run(command.command)
    } catch {
      refuse(error.code, error.message, isSignal: command.command.isSignal)
      if let place = error.place {
        // Shows a person where the mistake is.
        for text in unsafe place.drawing(in: String(decoding: line, as: UTF8.self)) { hint(text) }
      }
      skipInput(behind: command.command.verb)
    }
  }

  /// Throws if the command may not run: before AUTH, while draining, or without the right.
  func authorize(_ command: Command) throws(DefinitionError) {
    let access = session.access
    guard access.isGranted || !command.verb.traits.token else {
      throw DefinitionError(.denied, Access.first)
    }
    if session.isDraining, command.verb.traits.opens { throw .draining }
    guard access.isRestricted else { return }
    for right in command.rights { try access.check(right) }
  }

  private func run(_ command: Command) throws(DefinitionError) {
    switch command {
    case .hello(let version, let ping, let name): try greet(version, ping, name)
    case .auth(let token): tryToken(token)
    case .help(let word): try help(word)
    case .ping(let text): pong(text)
    case .quit(let now): quit(now: now)
    case .subject(let name, let settings): try define(name, settings)
    case .pipeline(let name, let expression): try define(name, expression)
    case .run(let name, let expression, let restart, let failed):
      try run(name, expression, restart: restart, failed: failed)
    case .delete(let name, nil): try delete(name)
    case .delete(let name, let durable?): try delete(durable: durable, of: name)
    case .list(let kind, let pattern): try list(kind, like: pattern)
    case .show(let name): try show(name)
    case .explain(let expression): try explain(expression)
    case .stats(let name): try stats(name)
    case .watch(let name, let stream, let filter, let known):
      try watch(name, WatchQuery(name, stream, filter), known: known)
    case .kill(let victim): try kill(victim)
    case .send(let name, let value): try send(value, to: name)
    case .subscribe(let expression, let demand, let id, let window, nil):
      try subscribe(expression, id, demand, window: window)
    case .subscribe(let expression, let demand, let id, let window, let durable?):
      try subscribe(durable: durable, expression, id, demand, window: window)
    case .take(let expression, let count, let id, let within):
      try subscribe(expression, id, .max(count), take: Int(clamping: count), within: within)
    case .tail(let expression): try tail(expression)
    case .tap(let name, let stage, let demand, let id): try tap(name, stage: stage, id, demand)
    case .publish(let name, let id, let grant, let over, let owner):
      try publish(name, id, grant: grant, over: over, owner: owner)
    case .feed(let name): try feed(name)
    case .serve(let name, let demand, let id): try serve(name, id, demand)
    case .request(.stream(let id), _) where id.isCall: try refuseRequest(call: id)
    case .request(let target, let count): try request(target, count)
    case .cancel(.stream(let id)) where id.isCall: try refuseCancel(call: id)
    case .cancel(let target): try cancel(target)
    case .done(let target): try end(target, failure: nil)
    case .fail(let target, let code, let text):
      try end(target, failure: PipelineFailure(code: code, message: text))
    }
  }

  /// Skips the input that follows a refused command.
  func skipInput(behind verb: Verb) {
    switch verb.traits.then {
    case .commands: break
    case .values: skipLines()
    case .nothing: endAfterRefusedTail()
    }
  }
}

extension Command {
  /// The rights that the command needs.
  ///
  /// Names in an expression are checked when they are looked up.
  fileprivate var rights: [Right] {
    switch self {
    case .hello, .auth, .help, .ping, .quit: []
    // They concern the client's own streams.
    case .request, .cancel, .done(.stream), .fail(.stream, _, _): []
    case .subject(let name, _), .delete(let name, _): [.define(name)]
    case .pipeline(let name, _): [.define(name), .subscribeToAny]
    case .run(let name, _, _, _): [.define(name), .subscribeToAny, .sendToAny]
    case .explain, .subscribe, .take, .tail: [.subscribeToAny]
    case .list(.streams, _), .list(.clients, _): [.any(.administer, to: "see all clients")]
    case .list, .watch(nil, _, _, _): []
    case .stats(nil): [.any(.administer, to: "see the server's statistics")]
    case .kill(.name(let name)): [.administer(name)]
    case .kill: [.any(.administer, to: "end other clients' connections and streams")]
    case .stats(let name?) where Name.isPattern(name): [.subscribeToAny]
    case .show(let name), .stats(let name?), .watch(let name?, _, _, _), .tap(let name, _, _, _):
      [.subscribe(name)]
    case .send(let name, _), .feed(let name): [.send(name)]
    case .publish(let name, _, _, _, let owner):
      owner ? [.send(name), .complete(name)] : [.send(name)]
    case .done(.name(let name)), .fail(.name(let name), _, _): [.complete(name)]
    case .serve(let name, _, _): [.serve(name)]
    }
  }
}

extension Verb {
  /// How a server treats its commands.
  var traits: VerbTraits {
    switch self {
    case .hello, .auth, .ping:
      .init(token: false, opens: false, signal: .never, light: .always, then: .commands)
    case .help, .quit:
      .init(token: false, opens: false, signal: .never, light: .never, then: .commands)
    case .subject, .pipeline, .run, .subscribe, .take, .tap, .publish, .serve:
      .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
    case .delete, .list, .show, .explain, .stats, .watch, .kill, .send:
      .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
    case .done, .fail:
      .init(token: true, opens: false, signal: .streams, light: .streams, then: .commands)
    case .tail:
      .init(token: true, opens: true, signal: .never, light: .never, then: .nothing)
    case .feed:
      .init(token: true, opens: true, signal: .never, light: .never, then: .values)
    case .request:
      .init(token: true, opens: false, signal: .always, light: .always, then: .commands)
    case .cancel:
      .init(token: true, opens: false, signal: .never, light: .always, then: .commands)
    }
  }

  /// What HELP says about the answer, the fields and their ranges, one fact a line.
  var details: [String] {
    switch self {
    case .hello:
      [
        "answer: OK hello 1 and the options that were granted",
        "ping: interval, 1s to 1h, after which a silent server sends \"@! PONG\"; it says BYE idle when",
        "  it has heard nothing for three times as long; name: one word that identifies the client",
        "from then on signals and value frames are not confirmed, and no # line is sent",
        "another version is ERR version supported=1; a second HELLO is ERR usage",
      ]
    case .auth:
      [
        "answer: OK auth, or ERR denied for an unknown token, at most three times",
        "before AUTH only HELLO, AUTH, PING, HELP and QUIT are accepted, for at most 10 s",
        "the server's token file lists the rights of tokens; with auth=none any token is OK",
      ]
    case .ping: ["answer: PONG and the same TEXT"]
    case .help: ["answer: rows of text, then OK help"]
    case .quit:
      [
        "answer: OK quit, with streams=N wait=10s if N streams have demand left: these stay open",
        "  until they have their values or 10 s pass without one; those with demand max end at once",
        "end of input means the same, but streams with demand max continue",
      ]
    case .subject:
      [
        "passthrough keeps nothing, current the newest value, replay the last N (from 1)",
        "flow=free: a subscriber without demand misses the value and is told (the default)",
        "flow=slowest: publishers wait for the slowest subscriber, nothing is missed;",
        "  a subscriber whose token lacks the right hold is not waited for, as with flow=free",
        "stall: how long one subscriber may hold up the others before it fails with too-slow",
        "rate=N/s: how many values it must take while it holds them up (flow=slowest only)",
        "on=nats: the values live in NATS JetStream, and all Flow servers on it share the subject;",
        "  room=N: how many values may wait for the slowest subscriber (4096; flow=slowest only),",
        "  replicas=1|3|5 and storage=file|memory: how NATS holds them",
        "VALUE ends at the first space outside brackets, braces and quotes",
        "the same definition again is OK, a different one for a name in use is ERR exists",
      ]
    case .pipeline:
      [
        "EXPR is the rest of the line: subjects, pipelines, publishers and Combine's operators",
        "the same definition again is OK, a different one for a name in use is ERR exists",
      ]
    case .run:
      [
        "EXPR ends in .subscribe(SUBJECT), which passes the end on, or in .assign(to: SUBJECT)",
        "it requests what the subject grants a publication; SHOW NAME shows how it ended",
        "restart: when it fails it starts again after DUR (10ms to 60m), doubled with each failure",
        "  up to a minute, and DUR again after it has run for longer than it waited",
        "failed: each value that a closure has no answer for goes to that subject, with the reason",
        "a run that would feed itself, directly or through other runs, is ERR cycle",
        "the same definition again is OK while it runs, else ERR exists; DELETE NAME stops it",
      ]
    case .delete:
      [
        "a subject's streams and runs fail with deleted; streams of a deleted pipeline continue",
        "durable: deletes a durable subscription of the subject, which nobody may have, and only that",
      ]
    case .list:
      [
        "answer: a row each, then OK list COUNT",
        "NAME: only what is called so; PATTERN: only names that fit;",
        "  * is any characters of a level, ** any levels",
      ]
    case .show: ["answer: rows, then OK show NAME"]
    case .explain:
      [
        "answer: a row for each stage, and for each of its inner publishers, a total, then OK",
        "EXPR is the rest of the line: a name or a pipeline; nothing is subscribed to",
        "asks: from its upstream; holds: values; full: what it does when full; ends: when it ends",
        "- means that the field has no meaning for the stage",
      ]
    case .stats:
      [
        "answer: a row NAME{LABEL=\"…\"} VALUE each, then OK stats COUNT",
        "counters end in _total and only grow; protocol.md lists all metrics",
      ]
    case .watch:
      [
        "answer: rows * topology JSON and * sample JSON, then OK watch [NAME]",
        "a long JSON continues in further rows with the same word in front",
        "topology: the names and what they consist of; left out if N is its \"changes\"",
        "sample: counters, rates and verdicts; \"unserved\" are services that have no worker",
        "the server looks at what runs for 5 s after each WATCH; \"judged\":false means that it has",
        "  only begun and has no verdicts yet: ask again after a second",
        "stream: NAME as one subscription runs it; filter: names that contain TEXT",
      ]
    case .kill:
      [
        "N is the number of a client, ID of a stream, as LIST clients and LIST streams show",
        "the client gets BYE killed, a subscription and a worker FAIL ID killed,",
        "  a publication CANCEL ID killed; values already sent are still delivered",
        "NAME: streams and workers on the name, publications and FEEDs to it, and a run;",
        "  its definition stays; DELETE removes it; answer: OK kill name NAME ended=N",
      ]
    case .send:
      [
        "answer: OK send NAME to=N missed=N; missed are subscriptions without demand",
        "on=nats: OK send NAME seq=N once NATS has stored it; ERR away if it does not answer",
        "TEXT is everything after one space, any bytes except a line end, at most 1 MiB",
        "flow=slowest: waits for demand up to the server's send-wait, then ERR no-demand",
      ]
    case .done:
      [
        "a name is a subject, a number is a stream of this connection",
        "answer for a publication: OK done ID to=N missed=N nobody=N, the figures of all its values;",
        "  nobody counts those that found no subscription",
      ]
    case .fail: ["CODE is one word, for programs; TEXT is for people and is optional"]
    case .subscribe:
      [
        "answer: OK sub ID NAME demand=N; then = ID TEXT for each value, and DONE or FAIL",
        "N is the first demand, default 0; ask for more with REQ",
        "EXPR ends at the first space outside brackets and quotes not followed by \".\" or \"{\"",
        "as: the stream's number, from 1 to 2^53; window: what may wait unsent, up to 4 MiB",
        "values without demand are reported by DROP ID COUNT REASON",
        "durable, of a subject on=nats: goes on where NAME was, whatever client and server that was;",
        "  each REQ ID N acknowledges the N oldest values sent, others come again; not with max",
      ]
    case .take:
      [
        "answer: OK take ID …, then at most N values, then DONE ID",
        "within: fails with timeout if the N values do not arrive in that time",
      ]
    case .tail:
      [
        "there is no OK, and after an ERR the connection closes; input after TAIL is ignored",
        "demand is max, TCP is the backpressure; closes when the publisher finishes or fails",
      ]
    case .tap:
      [
        "answer: OK tap ID NAME demand=N; then = ID TEXT for each value, and DONE or FAIL",
        "a subject: what it publishes; a pipeline: what all subscriptions by its name get;",
        "  a run: what it sends; STAGE is a number as in SHOW: 0 is the source, the last one the end",
        "it does not count as a subscription; values without demand are reported by DROP",
        "REQ, CANCEL and KILL work as for SUB",
      ]
    case .publish:
      [
        "answer: OK pub ID NAME demand=N|max, the first grant; then send = ID TEXT",
        "grant: the largest grant outstanding, from 1 to 65536, default 64",
        "over: what to do with values beyond the grant",
        "owner=yes: the subject ends with this stream, and fails if the connection is lost",
      ]
    case .feed:
      [
        "answer, at the end: OK feed NAME sent=N missed=N refused=N [why=CODE]",
        "empty lines and # lines are values too; a line is at most 1 MiB, a longer one is refused",
        "flow=slowest: no more is read while there is no room; flow=free: misses are counted",
        "a refused FEED is ERR at once; its lines are skipped, up to the lone . as well",
      ]
    case .serve:
      [
        "answer: OK serve ID NAME demand=N; N is how many calls it accepts, default 0",
        "a call arrives as \"= ID.CALL VALUE\", followed by \"REQ ID.CALL N\" for the values wanted",
        "answer it with any number of \"= ID.CALL TEXT\", then DONE ID.CALL or FAIL ID.CALL CODE TEXT",
        "values beyond the demand wait; CANCEL ID.CALL from the server cancels the call",
        "REQ ID N accepts N more calls; CANCEL ID stops serving, its calls fail with worker-lost",
        "several may serve one name: the one with the most demand left gets the next call",
      ]
    case .request:
      [
        "a name works as ID if exactly one of your subscriptions uses it",
        "past 2^63-1 the demand is unlimited and stays so",
        "0 or a negative number fails that stream with bad-demand",
      ]
    case .cancel:
      [
        "answer: OK cancel ID values=N missed=N undelivered=N [why=REASON:N,…]",
        "a name works as ID if exactly one of your subscriptions uses it",
      ]
    }
  }
}
