/// What a NATS server says of itself when somebody connects.
package struct ServerInfo: Equatable, Sendable {
  package var version = ""
  package var hasHeaders = false
  package var needsTLS = false
  /// Whether this server runs JetStream; if not, another one of its cluster may.
  package var hasJetStream = false
  /// The longest message, headers included.
  package var longestMessage = 1 << 20
  /// Further servers, as `HOST:PORT`.
  package var otherServers: [String] = []

  /// What is assumed of a server that has said nothing yet.
  package init() {}

  /// Reads the JSON of INFO.
  package init(_ json: UnsafeRawBufferPointer) {
    let info = unsafe FieldSearch(json)
    version = info["version"]?.text ?? ""
    hasHeaders = info["headers"]?.isTrue ?? false
    needsTLS = info["tls_required"]?.isTrue ?? false
    hasJetStream = info["jetstream"]?.isTrue ?? false
    longestMessage = info["max_payload"]?.count ?? longestMessage
    otherServers = (info["connect_urls"]?.elements ?? []).compactMap(\.text)
  }

  /// The longest value that fits in a message, whose headers take up to 512 bytes.
  package var longestValue: Int { max(0, longestMessage - 512) }

  /// What keeps Flow from using this server, if anything does.
  package var objection: NATSError? {
    if needsTLS {
      return NATSError(
        .unsuitable,
        "this NATS requires TLS, which Flow does not speak; run a nats-server on this machine as a"
          + " leaf node of it, and let Flow connect to that one"
      )
    }
    guard Self.isAtLeast(Self.oldest, version) else {
      let oldest = Self.oldest.map(String.init).joined(separator: ".")
      return NATSError(
        .unsuitable,
        "this NATS is version \(version.isEmpty ? "unknown" : version); \(oldest) or later is needed"
      )
    }
    guard hasHeaders else { return NATSError(.unsuitable, "this NATS has headers turned off") }
    return nil
  }

  /// The first version with all that Flow relies on.
  ///
  /// Since 2.12.1 atomic batches recognize repetitions; since 2.12.3 it is safe to change a cluster's members; since
  /// 2.12.4 a truncated block file is opened; since 2.14.0 a damaged snapshot of a cluster deletes no streams. See
  /// `docs/cluster.md`.
  private static let oldest = [2, 14, 0]

  private static func isAtLeast(_ oldest: [Int], _ version: String) -> Bool {
    let numbers = version.split(separator: ".", maxSplits: 2).map { part in
      Int(part.prefix { $0.isASCII && $0.isNumber })
    }
    for (index, least) in oldest.enumerated() {
      guard index < numbers.count, let number = numbers[index] else { return false }
      if number != least { return number > least }
    }
    return true
  }
}
