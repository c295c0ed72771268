import FlowTestSupport
import Glibc
import Testing

@testable import FlowServerMain

@Suite("sockets that systemd passes")
struct PassedSocketsTests {
  /// Two sockets at descriptors next to each other.
  private final class Two {
    let first: Int32

    init() throws {
      let sockets = [try ListeningDescriptor(), try ListeningDescriptor()]
      var (lowest, pair): (Int32, [Int32]) = (700, [])
      // Other tests open theirs in between.
      repeat {
        for descriptor in pair { close(descriptor) }
        let one = fcntl(sockets[0].descriptor, F_DUPFD, lowest)
        pair = [one, fcntl(sockets[1].descriptor, F_DUPFD, one + 1)]
        try #require(pair.allSatisfy { $0 >= 0 })
        lowest = pair[1]
      } while pair[1] != pair[0] + 1
      first = pair[0]
    }

    deinit { for descriptor in [first, first + 1] { close(descriptor) } }
  }

  private func read(
    _ environment: [String: String],
    _ first: Int32
  ) throws(StartError) -> PassedSockets {
    let usual = ["LISTEN_PID": "42", "LISTEN_FDS": "2"]
    let environment = usual.merging(environment) { $1 }
    return try PassedSockets(environment, process: 42, first: first)
  }

  @Test("are known by their names; those without one are for the protocol")
  func names() throws {
    let two = try Two()
    func roles(_ names: String?) throws -> [Int] {
      let sockets = try read(names.map { ["LISTEN_FDNAMES": $0] } ?? [:], two.first)
      return PassedSockets.Role.allCases.map { sockets.sockets(for: $0).count }
    }
    #expect(try roles(nil) == [2, 0, 0, 0])
    #expect(try roles("flow:http") == [1, 0, 1, 0])
    #expect(try roles("proxy:flow") == [1, 1, 0, 0])
    #expect(try roles("http:http") == [0, 0, 2, 0])
    #expect(try roles("http-proxy:proxy") == [0, 1, 0, 1])
    #expect(try roles(":unknown") == [2, 0, 0, 0])
    #expect(try roles("mine.socket:flow") == [2, 0, 0, 0])
  }

  @Test("those for another process are left alone, and without any there are none")
  func others() throws {
    for environment in [["LISTEN_PID": "43"], ["LISTEN_PID": ""], ["LISTEN_FDS": "0"]] {
      #expect(try read(environment, 700).sockets(for: .flow).isEmpty)
    }
    #expect(try PassedSockets([:]).sockets(for: .flow).isEmpty)
  }

  @Test("mistakes say which socket and what to write")
  func mistakes() throws {
    func message(_ environment: [String: String], _ first: Int32) -> String {
      let error = #expect(throws: StartError.self) { try read(environment, first) }
      #expect(error?.exit == .badConfiguration)
      return error?.message ?? ""
    }
    for text in ["x", "-1", "", "99999999999"] {
      #expect(
        message(["LISTEN_FDS": text], 700)
          == "LISTEN_FDS is \"\(text)\", expected how many sockets were passed"
      )
    }
    let two = try Two()
    let first = two.first
    #expect(
      message(["LISTEN_FDNAMES": "flow"], first)
        == "LISTEN_FDNAMES names 1 sockets, LISTEN_FDS says 2"
    )
    #expect(
      message(["LISTEN_FDNAMES": "flow:htp"], first)
        == "cannot use the socket (\"htp\") that was passed as fd \(first + 1): "
        + "its name says nothing; write FileDescriptorName= with "
        + "\"flow\" or \"proxy\" or \"http\" or \"http-proxy\""
    )
    // Beyond all that may be open: a number that was closed could be another test's by now.
    #expect(
      message([:], 2_000_000_000)
        == "cannot use the socket that was passed as fd 2000000000: nothing is open there"
    )
  }
}
