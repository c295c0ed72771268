import Glibc

/// Caches the commands of recent lines.
///
/// New clients repeat the same few lines: HELLO, the definition of their subject, SUB. Comparing a
/// line costs a tenth of parsing it.
public struct RecentCommands: Sendable {
  private var lines: [[UInt8]] = []
  private var commands: [TaggedCommand] = []
  /// The place that the next line replaces.
  private var oldest = 0

  private static let most = 8
  private static let longest = 96

  public init() {}

  public mutating func read(_ line: UnsafeRawBufferPointer) throws(CommandError) -> TaggedCommand {
    if let plain = unsafe TaggedCommand(plain: line) { return plain }
    for place in lines.indices where lines[place].count == line.count {
      let isSame = unsafe lines[place].withUnsafeBytes { known in
        guard let known = known.baseAddress, let line = line.baseAddress else { return false }
        return unsafe memcmp(known, line, lines[place].count) == 0  // memory 8
      }
      if isSame { return commands[place] }
    }
    let command = unsafe try TaggedCommand(line)
    if line.count <= Self.longest, command.tag == nil, command.command.isOftenTheSame {
      unsafe remember(Array(line), command)
    }
    return command
  }

  private mutating func remember(_ line: [UInt8], _ command: TaggedCommand) {
    if lines.count < Self.most {
      lines.append(line)
      commands.append(command)
    } else {
      lines[oldest] = line
      commands[oldest] = command
      oldest = (oldest + 1) % Self.most
    }
  }
}

extension Command {
  /// Whether clients often repeat it exactly; false for commands with a secret.
  fileprivate var isOftenTheSame: Bool {
    switch self {
    case .hello, .subject, .subscribe, .take, .publish, .serve, .quit: true
    default: false
    }
  }
}
