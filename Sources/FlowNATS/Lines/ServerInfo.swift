/// The INFO that a NATS server sends on connect.
package struct ServerInfo: Equatable, Sendable {
  package var version = ""
  package var hasHeaders = false
  package var needsTLS = false
  /// Whether this server runs JetStream; if not, another of its cluster may.
  package var hasJetStream = false
  /// The longest message, headers included, in bytes.
  package var longestMessage = 1 << 20
  package var otherServers: [String] = []

  /// The defaults before INFO arrives.
  package init() {}

  package init(_ json: UnsafeRawBufferPointer) {
    let info = unsafe FieldSearch(json)
    version = info["version"]?.text ?? ""
    hasHeaders = info["headers"]?.isTrue ?? false
    needsTLS = info["tls_required"]?.isTrue ?? false
    hasJetStream = info["jetstream"]?.isTrue ?? false
    longestMessage = info["max_payload"]?.count ?? longestMessage
    otherServers = (info["connect_urls"]?.elements ?? []).compactMap(\.text)
  }

  /// The longest value that fits in a message with up to 512 bytes of headers.
  package var longestValue: Int { max(0, longestMessage - 512) }

  /// Why Flow cannot use this server; nil if it can.
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

  /// The oldest version that Flow supports.
  ///
  /// 2.12.1 recognizes repetitions in atomic batches, 2.12.3 makes changes of a cluster's members
  /// safe, 2.12.4 opens a truncated block file, and 2.14.0 keeps streams despite a damaged snapshot
  /// of a cluster. See `docs/cluster.md`.
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
