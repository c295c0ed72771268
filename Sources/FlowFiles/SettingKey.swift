internal import FlowWire
internal import Spelling

/// What `set` can set, as it is spelled in a file.
public enum SettingKey: String, CaseIterable, Sendable {
  case lineLimit = "line-limit"
  case valueLimit = "value-limit"
  case streamLimit = "stream-limit"
  case connectionLimit = "connection-limit"
  case nameLimit = "name-limit"
  case window
  case windowLimit = "window-limit"
  case outputLimit = "output-limit"
  case answerLimit = "answer-limit"
  case grant
  case grantLimit = "grant-limit"
  case inboxLimit = "inbox-limit"
  case waitingCallLimit = "waiting-call-limit"
  case replayLimit = "replay-limit"
  case innerPublisherLimit = "inner-publisher-limit"
  case sendWait = "send-wait"
  case stall
  case linger
  case farewell
  case drain
  case idle
  case errorLimit = "error-limit"
  case wrongTokenLimit = "wrong-token-limit"
  case handshake
  case memory
  case connectionHoldLimit = "connection-hold-limit"
  case holdLimit = "hold-limit"
  case subjectHoldLimit = "subject-hold-limit"
  case nestedPublisherLimit = "nested-publisher-limit"
  case printLimit = "print-limit"
  case slice
  case nats
  case natsDomain = "nats-domain"
  case natsPrefix = "nats-prefix"

  /// What a value counts.
  public enum Unit: Sendable {
    case bytes
    case things
    /// Nanoseconds.
    case time
    /// Servers, as `HOST:PORT,…`.
    case servers
    /// A word of a name.
    case word
  }

  public var unit: Unit {
    switch self {
    case .lineLimit, .valueLimit, .window, .windowLimit, .outputLimit, .answerLimit, .inboxLimit,
      .memory, .connectionHoldLimit, .holdLimit, .subjectHoldLimit:
      .bytes
    case .streamLimit, .connectionLimit, .nameLimit, .grant, .grantLimit, .waitingCallLimit,
      .replayLimit, .innerPublisherLimit, .nestedPublisherLimit, .errorLimit, .wrongTokenLimit,
      .printLimit:
      .things
    case .sendWait, .stall, .linger, .farewell, .drain, .idle, .handshake, .slice: .time
    case .nats: .servers
    case .natsDomain, .natsPrefix: .word
    }
  }

  /// The most that it may be, if it is a number.
  public var most: Int64 {
    switch unit {
    case .bytes where self == .memory: 1 << 50
    case .bytes: 1 << 30
    case .things: 1 << 24
    case .time: 31 * 24 * 3_600_000_000_000
    case .servers, .word: 0
    }
  }
}

/// A line `set KEY VALUE`.
public struct Setting: Hashable, Sendable {
  public let key: SettingKey
  /// Bytes, things or nanoseconds; 0 if it is a text.
  public let value: Int64
  /// The value as written.
  public let text: String

  /// Reads a setting.
  ///
  /// - Throws: what is wrong with the key or the value, in one line.
  package init(_ key: String, _ text: String) throws(Refusal) {
    guard let known = SettingKey(rawValue: key) else {
      let meant = nearest(to: key, among: SettingKey.allCases.map(\.rawValue))
      let keys = SettingKey.allCases.map(\.rawValue).joined(separator: ", ")
      let hint = meant.map { "did you mean \"\($0)\"?" } ?? "expected one of \(keys)"
      throw Refusal(message: "there is no setting \"\(key.excerpt())\"; \(hint)", isAboutKey: true)
    }
    let value: Int64?
    let expected: String
    switch known.unit {
    case .bytes:
      value = Quantity.size(text[...])
      expected = "a size such as 64KiB, 1MiB or 5000"
    case .things:
      value = UInt64(decimal: text.utf8).map { Int64(clamping: $0) }
      expected = "a number"
    case .time:
      value = Quantity.duration(text[...])
      expected = "a time such as 250ms, 5s or 2m"
    case .servers, .word:
      try Self.check(text, for: known)
      self.init(key: known, value: 0, text: text)
      return
    }
    guard let value, 1...known.most ~= value else {
      let range = "from 1 to \(known.most)\(known.unit == .time ? " ns" : "")"
      let message = "\(key) is \"\(text.excerpt())\", expected \(expected), \(range)"
      throw Refusal(message: message, isAboutKey: false)
    }
    self.init(key: known, value: value, text: text)
  }

  private init(key: SettingKey, value: Int64, text: String) {
    self.key = key
    self.value = value
    self.text = text
  }

  /// Refuses a text that is no value of `key`.
  private static func check(_ text: String, for key: SettingKey) throws(Refusal) {
    let isFit: Bool
    let expected: String
    if key.unit == .servers {
      if text.contains("://") {
        let isSecret = text.hasPrefix("tls://") || text.hasPrefix("wss://")
        let why =
          isSecret
          ? "Flow speaks no TLS to NATS; run a nats-server on this machine as a leaf node of the cluster, and write its HOST:PORT"
          : "write HOST:PORT,… without a scheme"
        let message = "\(key.rawValue) is \"\(text.excerpt())\"; \(why)"
        throw Refusal(message: message, isAboutKey: false)
      }
      isFit = text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { server in
        guard let colon = server.lastIndex(of: ":"), colon > server.startIndex else { return false }
        let port = server[server.index(after: colon)...]
        return UInt64(decimal: port.utf8).map { 1...65535 ~= $0 } ?? false
      }
      expected = "HOST:PORT,…"
    } else {
      isFit = Name.isReadable(text) && !text.isServers
      expected = "a word of A-Z, a-z, 0-9, _ and -"
    }
    guard isFit else {
      let message = "\(key.rawValue) is \"\(text.excerpt())\", expected \(expected)"
      throw Refusal(message: message, isAboutKey: false)
    }
  }

  package struct Refusal: Error {
    let message: String
    let isAboutKey: Bool
  }
}
