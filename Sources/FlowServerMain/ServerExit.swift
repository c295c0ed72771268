/// The exit codes, from `sysexits.h`.
package enum ServerExit: Int32, CaseIterable {
  case done = 0
  case usage = 64
  case cannotRead = 66
  case unavailable = 69
  case cannotCreate = 73
  case badConfiguration = 78

  /// The description in `--help`.
  var meaning: String {
    switch self {
    case .done: "stopped normally"
    case .usage: "the command line is wrong"
    case .cannotRead: "cannot read a file"
    case .unavailable: "cannot listen on an address"
    case .cannotCreate: "cannot write the ports file"
    case .badConfiguration: "an error in a file, a setting or an address"
    }
  }
}

/// Why the server does not start, where, and what to do instead.
package struct StartError: Error, Equatable, CustomStringConvertible {
  package var exit: ServerExit
  var message: String
  var advice: String?
  /// The first line of each report on a wrong file.
  var mistakes: [String] = []

  init(_ exit: ServerExit, _ message: String, advice: String? = nil, mistakes: [String] = []) {
    self.mistakes = mistakes
    self.exit = exit
    self.message = message
    self.advice = advice
  }

  package var description: String { message }
}
