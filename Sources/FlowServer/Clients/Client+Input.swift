internal import FlowCore
internal import FlowLanguage
internal import FlowTransport
internal import FlowWire

extension Client {
  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int {
    lastInput = engine.now
    engine.activity.record(.values, client: id)
    var offset = 0
    var turn = InputTurn(engine.timeSlice)
    if unsafe !receiveFeed(buffer, &offset, &turn) { return offset }
    while takesCommands, waits.isEmpty {
      guard turn.hasTimeLeft else {
        waitForTurn()
        return offset
      }
      let start = offset
      if session.isNew, start < buffer.count, unsafe buffer[start] == 0x16 {
        bye(.tls, "this port is plain text; put a TLS proxy in front of it")
        break
      }
      switch unsafe decoder.next(buffer, &offset) {
      case .incomplete: return offset
      case .value(let id, let payload):
        if unsafe receiveBatches(id, like: (start, payload.lowerBound), buffer, &offset, &turn) {
          continue
        }
        let value = unsafe UnsafeRawBufferPointer(rebasing: buffer[payload])
        if !receiveValue(&turn, { unsafe receive(id, value) }) { return start }
      case .callValue(let id, let payload):
        let value = unsafe UnsafeRawBufferPointer(rebasing: buffer[payload])
        if !receiveValue(&turn, { unsafe receive(id, value) }) { return start }
      case .send(let name, let value):
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[value])
        if session.isNew, unsafe turnsAway(bytes) { break }
        turn.count(1)
        let name = unsafe UnsafeRawBufferPointer(rebasing: buffer[name])
        counters.sends &+= 1
        session.beginUntagged()
        unsafe send(name, bytes)
      case .line(let range):
        if unsafe run(UnsafeRawBufferPointer(rebasing: buffer[range])) {
          turn.count(8)
        } else {
          turn.checkTimeNext()
        }
        if unsafe !receiveFeed(buffer, &offset, &turn) { return offset }
      case .refused(let error, let start):
        turn.checkTimeNext()
        unsafe refuse(error, UnsafeRawBufferPointer(rebasing: buffer[start...].prefix(256)))
        if unsafe !receiveFeed(buffer, &offset, &turn) { return offset }
      case .broken(let error):
        bye(error.code, error.message)
      }
    }
    return takesCommands ? offset : buffer.count
  }

  /// Takes a frame with a value; returns false if it must come again later, for want of room.
  @inline(__always)
  private func receiveValue(_ turn: inout InputTurn, _ receive: () -> Bool) -> Bool {
    turn.count(1)
    counters.valueFrames &+= 1
    if receive() { return true }
    counters.valueFrames &-= 1
    wait(.credit)
    return false
  }

  /// Runs a line; returns whether its work is bounded, whatever the server holds.
  func run(_ line: UnsafeRawBufferPointer) -> Bool {
    guard unsafe !TaggedCommand.isIgnorable(line) else { return true }
    if session.isNew, unsafe turnsAway(line) { return true }
    unsafe engine.activity.record(command: line)
    var isLight = false
    do throws(CommandError) {
      let command = unsafe try engine.recentCommands.read(line)
      isLight = command.command.isLight
      counters.count(command.command)
      unsafe perform(command, line)
    } catch {
      unsafe refuse(error, String(decoding: line, as: UTF8.self))
    }
    afterCommand()
    return isLight
  }

  /// Closes if the first line is HTTP: a web page may choose what its browser sends next.
  private func turnsAway(_ firstLine: UnsafeRawBufferPointer) -> Bool {
    guard unsafe firstLine.endsWithForeignVersion else { return false }
    let page = engine.web.port.map { "page on port \($0)" }
    bye(.http, page ?? "this is not a web server; send text lines, see HELP")
    return true
  }

  /// Refuses a malformed frame that begins with `head`.
  private func refuse(_ error: WireError, _ head: UnsafeRawBufferPointer) {
    // The version at the end of a HELLO may be in the skipped part.
    if session.isNew, error.code == .lineTooLong {
      return bye(.http, "the first line is too long; see HELP")
    }
    let error = unsafe CommandError(tag: TaggedCommand.tag(of: head), error: error)
    unsafe refuse(error, String(decoding: head, as: UTF8.self))
    afterCommand()
  }

  private func refuse(_ error: CommandError, _ line: String) {
    session.begin(tag: error.tag)
    refuse(error.error.code, error.error.message, isSignal: Session.isSignal(line))
    Session.verb(line).map(skipInput(behind:))
  }

  /// Limits what a peer may leave unread, and its errors.
  func afterCommand() {
    if session.errorsInARow >= engine.configuration.connections.errorLimit {
      bye(.errors, "\(session.errorsInARow) errors in a row")
    } else if session.answers.held > engine.configuration.connections.answerLimit {
      // The SENDs wait for their answers, and later commands wait behind them.
      wait(.answers)
    } else if connection.isBlocked, answerBytes > engine.configuration.connections.answerLimit {
      wait(.output)
      closeUnlessRead()
    }
  }

  func closeUnlessRead() {
    let unsent = connection.unsent
    after(engine.configuration.timeouts.linger) { client in
      guard client.waits.contains(.output) else { return }
      if client.connection.unsent < unsent {
        client.closeUnlessRead()
      } else {
        client.bye(.overflow, "the client does not read its answers")
      }
    }
  }

  func after(_ nanoseconds: Int64, _ body: @escaping (Client) -> Void) {
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(nanoseconds)))
    engine.clock.schedule(after: date) { [weak self] in
      if let self, ending != .closed { body(self) }
    }
  }

  func wait(_ reason: Waits) {
    if waits.isEmpty { connection.pauseReading() }
    waits.insert(reason)
  }

  func endWait(_ reason: Waits) {
    guard waits.remove(reason) != nil, waits.isEmpty else { return }
    connection.resumeReading()
  }

  /// Gives waiting work and other sockets a turn before the rest of the input.
  func waitForTurn() {
    wait(.turn)
    engine.timeSlice.waitToRead { [self] in
      guard ending != .closed, waits.remove(.turn) != nil, waits.isEmpty else { return }
      connection.resumeReadingNow()
    }
  }
}
