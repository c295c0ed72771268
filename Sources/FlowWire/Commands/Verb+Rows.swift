extension Verb {
  /// Builds the row of the verb; `Verb.rows` caches all of them.
  var row: VerbRow {
    switch self {
    case .hello:
      VerbRow(
        "HELLO 1 [ping=DUR] [name=TEXT]",
        "switches to framed mode, for programs: quiet, pipelined, no lines for people",
        examples: ["HELLO 1", "HELLO 1 ping=10s name=thermometer"],
        details: [
          "answer: OK hello 1 and the options that were granted",
          "ping: interval, 1s to 1h, after which a silent server sends \"@! PONG\"; it says BYE idle when",
          "  it has heard nothing for three times as long; name: one word that identifies the client",
          "from then on signals and value frames are not confirmed, and no # line is sent",
          "another version is ERR version supported=1; a second HELLO is ERR usage",
        ],
        traits: .init(token: false, opens: false, signal: .never, light: .always, then: .commands)
      )
    case .auth:
      VerbRow(
        "AUTH TOKEN",
        "authenticates, if the server's greeting has auth=token",
        examples: ["AUTH 9f2c61d0a7e4"],
        details: [
          "answer: OK auth, or ERR denied for an unknown token, at most three times",
          "before AUTH only HELLO, AUTH, PING, HELP and QUIT are accepted, for at most 10 s",
          "the server's token file lists the rights of tokens; with auth=none any token is OK",
        ],
        traits: .init(token: false, opens: false, signal: .never, light: .always, then: .commands)
      )
    case .ping:
      VerbRow(
        "PING [TEXT]",
        "checks whether the server answers",
        examples: ["PING", "PING are you there"],
        details: ["answer: PONG and the same TEXT"],
        traits: .init(token: false, opens: false, signal: .never, light: .always, then: .commands)
      )
    case .help:
      VerbRow(
        "HELP [WORD]",
        "explains a command, an operator or a topic, or lists them",
        examples: ["HELP", "HELP SUB", "HELP flatMap", "HELP demand"],
        details: ["answer: rows of text, then OK help"],
        traits: .init(token: false, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .quit:
      VerbRow(
        "QUIT [now]",
        "closes the connection when all requested values are delivered, or now",
        examples: ["QUIT", "QUIT now"],
        details: [
          "answer: OK quit, with streams=N wait=10s if N streams have demand left: these stay open",
          "  until they have their values or 10 s pass without one; those with demand max end at once",
          "end of input means the same, but streams with demand max continue",
        ],
        traits: .init(token: false, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .subject:
      VerbRow(
        "SUBJECT NAME [passthrough | current VALUE | replay N] [flow=free|slowest] [stall=DUR] […]",
        "creates a subject; all subscribers get the values sent to it",
        examples: [
          "SUBJECT orders", "SUBJECT lamp current \"off\"", "SUBJECT log replay 100 flow=slowest",
        ],
        details: [
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
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
      )
    case .pipeline:
      VerbRow(
        "PIPELINE NAME = EXPR",
        "defines a pipeline; each subscription runs its own stages",
        examples: ["PIPELINE even = orders.filter { $0 % 2 == 0 }.map { $0 * 10 }"],
        details: [
          "EXPR is the rest of the line: subjects, pipelines, publishers and Combine's operators",
          "the same definition again is OK, a different one for a name in use is ERR exists",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
      )
    case .run:
      VerbRow(
        "RUN NAME [restart=DUR] [failed=SUBJECT] = EXPR",
        "runs a pipeline into a subject, without a client",
        examples: [
          "RUN totals = orders.scan(0) { $0 + $1 }.assign(to: revenue)",
          "RUN bills restart=1s = orders.concatMap { ask(bill, $0) }.assign(to: revenue)",
        ],
        details: [
          "EXPR ends in .subscribe(SUBJECT), which passes the end on, or in .assign(to: SUBJECT)",
          "it requests what the subject grants a publication; SHOW NAME shows how it ended",
          "restart: when it fails it starts again after DUR (10ms to 60m), doubled with each failure",
          "  up to a minute, and DUR again after it has run for longer than it waited",
          "failed: each value that a closure has no answer for goes to that subject, with the reason",
          "a run that would feed itself, directly or through other runs, is ERR cycle",
          "the same definition again is OK while it runs, else ERR exists; DELETE NAME stops it",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
      )
    case .delete:
      VerbRow(
        "DELETE NAME [durable=NAME]",
        "deletes a subject or a pipeline, or stops a run",
        examples: ["DELETE orders"],
        details: [
          "a subject's streams and runs fail with deleted; streams of a deleted pipeline continue",
          "durable: deletes a durable subscription of the subject, which nobody may have, and only that",
        ],
        traits: .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .list:
      VerbRow(
        "LIST [subjects|pipelines|runs|services|streams|clients] [NAME|PATTERN]",
        "lists subjects, pipelines, runs, services, streams or clients",
        examples: ["LIST", "LIST subjects", "LIST orders", "LIST subjects sensors/**"],
        details: [
          "answer: a row each, then OK list COUNT",
          "NAME: only what is called so; PATTERN: only names that fit;",
          "  * is any characters of a level, ** any levels",
        ],
        traits: .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .show:
      VerbRow(
        "SHOW NAME",
        "shows a subject's, pipeline's, run's or service's definition and current figures",
        examples: ["SHOW orders"],
        details: ["answer: rows, then OK show NAME"],
        traits: .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .explain:
      VerbRow(
        "EXPLAIN EXPR",
        "shows what each stage of a pipeline requests, holds, does when full, and when it ends",
        examples: [
          "EXPLAIN orders.filter { $0.price > 100 }",
          "EXPLAIN orders.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.04) }",
        ],
        details: [
          "answer: a row for each stage, and for each of its inner publishers, a total, then OK",
          "EXPR is the rest of the line: a name or a pipeline; nothing is subscribed to",
          "asks: from its upstream; holds: values; full: what it does when full; ends: when it ends",
          "- means that the field has no meaning for the stage",
        ],
        traits: .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .stats:
      VerbRow(
        "STATS [NAME|PATTERN]",
        "shows counters and gauges of the server, or of a subject, a pipeline, a run or a service",
        examples: ["STATS", "STATS orders", "STATS sensors/**"],
        details: [
          "answer: a row NAME{LABEL=\"…\"} VALUE each, then OK stats COUNT",
          "counters end in _total and only grow; protocol.md lists all metrics",
        ],
        traits: .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .watch:
      VerbRow(
        "WATCH [NAME] [stream=CLIENT.ID] [filter=TEXT] [known=N]",
        "shows, as JSON, how all names do and who holds them up, and the stages of one",
        examples: ["WATCH", "WATCH orders", "WATCH orders stream=7.1 known=12"],
        details: [
          "answer: rows * topology JSON and * sample JSON, then OK watch [NAME]",
          "a long JSON continues in further rows with the same word in front",
          "topology: the names and what they consist of; left out if N is its \"changes\"",
          "sample: counters, rates and verdicts; \"unserved\" are services that have no worker",
          "the server looks at what runs for 5 s after each WATCH; \"judged\":false means that it has",
          "  only begun and has no verdicts yet: ask again after a second",
          "stream: NAME as one subscription runs it; filter: names that contain TEXT",
        ],
        traits: .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .kill:
      VerbRow(
        "KILL CLIENT N | STREAM N ID | NAME NAME",
        "ends a connection, one of its streams, or everything open on a name",
        examples: ["KILL CLIENT 1", "KILL STREAM 1 1", "KILL NAME orders"],
        details: [
          "N is the number of a client, ID of a stream, as LIST clients and LIST streams show",
          "the client gets BYE killed, a subscription and a worker FAIL ID killed,",
          "  a publication CANCEL ID killed; values already sent are still delivered",
          "NAME: streams and workers on the name, publications and FEEDs to it, and a run;",
          "  its definition stays; DELETE removes it; answer: OK kill name NAME ended=N",
        ],
        traits: .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .send:
      VerbRow(
        "SEND NAME TEXT",
        "sends one value to a subject",
        examples: ["SEND orders 21.5", "SEND orders {\"id\": 7}"],
        details: [
          "answer: OK send NAME to=N missed=N; missed are subscriptions without demand",
          "on=nats: OK send NAME seq=N once NATS has stored it; ERR away if it does not answer",
          "TEXT is everything after one space, any bytes except a line end, at most 1 MiB",
          "flow=slowest: waits for demand up to the server's send-wait, then ERR no-demand",
        ],
        traits: .init(token: true, opens: false, signal: .never, light: .never, then: .commands)
      )
    case .done:
      VerbRow(
        "DONE NAME|ID",
        "completes a subject, or ends one of your publications",
        examples: ["DONE orders", "DONE 1"],
        details: [
          "a name is a subject, a number is a stream of this connection",
          "answer for a publication: OK done ID to=N missed=N nobody=N, the figures of all its values;",
          "  nobody counts those that found no subscription",
        ],
        traits: .init(token: true, opens: false, signal: .streams, light: .streams, then: .commands)
      )
    case .fail:
      VerbRow(
        "FAIL NAME|ID CODE [TEXT]",
        "completes a subject with a failure, or ends one of your publications with one",
        examples: ["FAIL orders too-hot the sensor burns", "FAIL 1 broken"],
        details: ["CODE is one word, for programs; TEXT is for people and is optional"],
        traits: .init(token: true, opens: false, signal: .streams, light: .streams, then: .commands)
      )
    case .subscribe:
      VerbRow(
        "SUB EXPR [N|max] [as=ID] [window=SIZE] [durable=NAME]",
        "subscribes to a subject or a pipeline; nothing flows before there is demand",
        examples: [
          "SUB orders 10", "SUB orders", "SUB orders.filter { $0 > 3 } max as=1 window=64KiB",
        ],
        details: [
          "answer: OK sub ID NAME demand=N; then = ID TEXT for each value, and DONE or FAIL",
          "N is the first demand, default 0; ask for more with REQ",
          "EXPR ends at the first space outside brackets and quotes not followed by \".\" or \"{\"",
          "as: the stream's number, from 1 to 2^53; window: what may wait unsent, up to 4 MiB",
          "values without demand are reported by DROP ID COUNT REASON",
          "durable, of a subject on=nats: goes on where NAME was, whatever client and server that was;",
          "  each REQ ID N acknowledges the N oldest values sent, others come again; not with max",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
      )
    case .take:
      VerbRow(
        "TAKE EXPR N [as=ID] [within=DUR]",
        "subscribes, asks for N values and ends after them",
        examples: ["TAKE orders 2", "TAKE orders.map { $0 * 2 } 5 within=10s"],
        details: [
          "answer: OK take ID …, then at most N values, then DONE ID",
          "within: fails with timeout if the N values do not arrive in that time",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
      )
    case .tail:
      VerbRow(
        "TAIL EXPR",
        "turns the connection into raw lines: the values of a subject or pipeline and nothing else",
        examples: ["TAIL orders", "TAIL orders.filter { $0 > 3 }"],
        details: [
          "there is no OK, and after an ERR the connection closes; input after TAIL is ignored",
          "demand is max, TCP is the backpressure; closes when the publisher finishes or fails",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .nothing)
      )
    case .tap:
      VerbRow(
        "TAP NAME[.STAGE] [N|max] [as=ID]",
        "samples the values that pass a name; it never creates demand and nobody waits for it",
        examples: ["TAP orders 10", "TAP orders.0 max as=2"],
        details: [
          "answer: OK tap ID NAME demand=N; then = ID TEXT for each value, and DONE or FAIL",
          "a subject: what it publishes; a pipeline: what all subscriptions by its name get;",
          "  a run: what it sends; STAGE is a number as in SHOW: 0 is the source, the last one the end",
          "it does not count as a subscription; values without demand are reported by DROP",
          "REQ, CANCEL and KILL work as for SUB",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
      )
    case .publish:
      VerbRow(
        "PUB NAME [as=ID] [grant=N] [over=hold|cancel|drop] [owner=yes|no]",
        "opens a stream to a subject; REQ from the server says how many values you may send",
        examples: ["PUB orders", "PUB orders as=1 grant=1000 over=cancel owner=yes"],
        details: [
          "answer: OK pub ID NAME demand=N|max, the first grant; then send = ID TEXT",
          "grant: the largest grant outstanding, from 1 to 65536, default 64",
          "over: what to do with values beyond the grant",
          "owner=yes: the subject ends with this stream, and fails if the connection is lost",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
      )
    case .feed:
      VerbRow(
        "FEED NAME",
        "sends every further line to a subject as a value, until a lone . or the end of input",
        examples: ["FEED orders"],
        details: [
          "answer, at the end: OK feed NAME sent=N missed=N refused=N [why=CODE]",
          "empty lines and # lines are values too; a line is at most 1 MiB, a longer one is refused",
          "flow=slowest: no more is read while there is no room; flow=free: misses are counted",
          "a refused FEED is ERR at once; its lines are skipped, up to the lone . as well",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .values)
      )
    case .serve:
      VerbRow(
        "SERVE NAME [N|max] [as=ID]",
        "answers the calls that pipelines make with ask(NAME, VALUE)",
        examples: ["SERVE resize 1", "SERVE resize", "SERVE resize 16 as=5"],
        details: [
          "answer: OK serve ID NAME demand=N; N is how many calls it accepts, default 0",
          "a call arrives as \"= ID.CALL VALUE\", followed by \"REQ ID.CALL N\" for the values wanted",
          "answer it with any number of \"= ID.CALL TEXT\", then DONE ID.CALL or FAIL ID.CALL CODE TEXT",
          "values beyond the demand wait; CANCEL ID.CALL from the server cancels the call",
          "REQ ID N accepts N more calls; CANCEL ID stops serving, its calls fail with worker-lost",
          "several may serve one name: the one with the most demand left gets the next call",
        ],
        traits: .init(token: true, opens: true, signal: .never, light: .never, then: .commands)
      )
    case .request:
      VerbRow(
        "REQ ID|NAME N|max",
        "asks for N more values of a stream",
        examples: ["REQ 1 8", "REQ 1 max", "REQ orders 3"],
        details: [
          "a name works as ID if exactly one of your subscriptions uses it",
          "past 2^63-1 the demand is unlimited and stays so",
          "0 or a negative number fails that stream with bad-demand",
        ],
        traits: .init(token: true, opens: false, signal: .always, light: .always, then: .commands)
      )
    case .cancel:
      VerbRow(
        "CANCEL ID|NAME",
        "ends a stream; nothing more of it comes after the answer",
        examples: ["CANCEL 1", "CANCEL orders"],
        details: [
          "answer: OK cancel ID values=N missed=N undelivered=N [why=REASON:N,…]",
          "a name works as ID if exactly one of your subscriptions uses it",
        ],
        traits: .init(token: true, opens: false, signal: .never, light: .always, then: .commands)
      )
    }
  }
}
