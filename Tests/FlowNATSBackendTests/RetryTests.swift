import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("Attempts that are repeated")
struct RetryTests {
  @Test("an answer or timer of an earlier attempt is dropped")
  func late() {
    let play = RetryPlay()
    let early = play.ifCurrent { (play: RetryPlay, number: Int) in play.heard.append(number) }
    let timer = play.ifCurrent { (play: RetryPlay) in play.heard.append(0) }
    early(1)
    timer()
    play.retry.begin()
    let current = play.ifCurrent { (play: RetryPlay, number: Int) in play.heard.append(number) }
    early(2)
    timer()
    current(3)
    #expect(play.heard == [1, 0, 3])
  }
}

private final class RetryPlay: Retrying {
  var retry = Retry()
  var heard: [Int] = []
}
