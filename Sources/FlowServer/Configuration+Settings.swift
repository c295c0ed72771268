internal import FlowFiles
internal import FlowWire

/// The settings that files can make.
extension Configuration {
  /// Where a setting's value is stored.
  private enum Slot {
    case number(WritableKeyPath<Configuration, Int>)
    case time(WritableKeyPath<Configuration, Int64>)
    case servers(WritableKeyPath<Configuration, [String]>)
    case word(WritableKeyPath<Configuration, String>)
    case domain(WritableKeyPath<Configuration, String?>)
  }

  private static func slot(of key: SettingKey) -> Slot {
    switch key {
    case .lineLimit: .number(\.lineLimit)
    case .valueLimit: .number(\.valueLimit)
    case .streamLimit: .number(\.connections.streamLimit)
    case .connectionLimit: .number(\.connections.limit)
    case .nameLimit: .number(\.nameLimit)
    case .window: .number(\.demand.window)
    case .windowLimit: .number(\.demand.windowLimit)
    case .outputLimit: .number(\.connections.outputLimit)
    case .answerLimit: .number(\.connections.answerLimit)
    case .grant: .number(\.demand.grant)
    case .grantLimit: .number(\.demand.grantLimit)
    case .inboxLimit: .number(\.demand.inboxLimit)
    case .waitingCallLimit: .number(\.waitingCallLimit)
    case .replayLimit: .number(\.replayLimit)
    case .innerPublisherLimit: .number(\.pipelines.innerPublisherLimit)
    case .sendWait: .time(\.timeouts.sendWait)
    case .stall: .time(\.timeouts.stall)
    case .linger: .time(\.timeouts.linger)
    case .farewell: .time(\.timeouts.farewell)
    case .drain: .time(\.timeouts.drain)
    case .idle: .time(\.timeouts.idle)
    case .errorLimit: .number(\.connections.errorLimit)
    case .wrongTokenLimit: .number(\.wrongTokenLimit)
    case .handshake: .time(\.timeouts.handshake)
    case .memory: .number(\.memory)
    case .connectionHoldLimit: .number(\.connections.holdLimit)
    case .holdLimit: .number(\.pipelines.holdLimit)
    case .subjectHoldLimit: .number(\.subjectHoldLimit)
    case .nestedPublisherLimit: .number(\.pipelines.nestedPublisherLimit)
    case .printLimit: .number(\.pipelines.printLimit)
    case .slice: .time(\.pipelines.slice)
    case .nats: .servers(\.nats.servers)
    case .natsDomain: .domain(\.nats.domain)
    case .natsPrefix: .word(\.nats.prefix)
    }
  }

  /// Applies a line `set KEY VALUE`.
  mutating func set(_ setting: Setting) {
    switch Self.slot(of: setting.key) {
    case .number(let path): self[keyPath: path] = Int(setting.value)
    case .time(let path): self[keyPath: path] = setting.value
    case .servers(let path):
      self[keyPath: path] = setting.text.split(separator: ",").map(String.init)
    case .word(let path): self[keyPath: path] = setting.text
    case .domain(let path): self[keyPath: path] = setting.text
    }
  }

  /// The value as a file spells it; empty if not set.
  func text(of key: SettingKey) -> String {
    switch Self.slot(of: key) {
    case .number(let path) where key.unit == .bytes:
      Quantity.spelled(bytes: Int64(self[keyPath: path]))
    case .number(let path): "\(self[keyPath: path])"
    case .time(let path): Quantity.text(self[keyPath: path])
    case .servers(let path): self[keyPath: path].joined(separator: ",")
    case .word(let path): self[keyPath: path]
    case .domain(let path): self[keyPath: path] ?? ""
    }
  }
}

/// A setting that files can make, with its current value.
package struct SettingInForce: Equatable, Sendable {
  package let name: String
  /// As a file spells it; empty if not set.
  package let value: String
  /// The line that set it, as `FILE:LINE`; nil if none did.
  package let place: String?
}

extension Engine {
  var settingsInForce: [SettingInForce] {
    SettingKey.allCases.map { key in
      SettingInForce(
        name: key.rawValue,
        value: configuration.text(of: key),
        place: files.isSettled(key) ? nil : files.places[key]
      )
    }
  }
}
