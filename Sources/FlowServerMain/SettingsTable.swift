package import FlowServer

/// Every setting in force, and its source: an option, a variable, a line of a file, or the default.
package struct SettingsTable {
  struct Row: Equatable {
    let name: String
    let value: String
    let place: String
  }

  let rows: [Row]

  /// Combines `arguments` with the `settings` that files can make.
  package init(_ arguments: ServerArguments, _ settings: [SettingInForce]) {
    let names = Set(settings.map(\.name))
    let options = ServerOption.allCases.filter { !names.contains($0.rawValue) }
    rows =
      options.compactMap { option in
        arguments.value(of: option).map {
          Row(name: option.rawValue, value: $0, place: arguments.places[option] ?? Self.nobody)
        }
      }
      + settings.map { setting in
        let option = ServerOption(rawValue: setting.name).flatMap { arguments.places[$0] }
        let place = option ?? setting.place ?? Self.nobody
        return Row(name: "set \(setting.name)", value: setting.value, place: place)
      }
  }

  private static let nobody = "default"

  /// A line for each: name, value, source.
  package var text: String {
    let cells = rows.map { ($0.name, $0.value.isEmpty ? "-" : $0.value, $0.place) }
    let widths = (cells.map(\.0.count).max() ?? 0, cells.map(\.1.count).max() ?? 0)
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: width - text.count)
    }
    return cells.map { name, value, place in
      "\(padded(name, widths.0))  \(padded(value, widths.1))  \(place)\n"
    }
    .joined()
  }
}

extension ServerArguments {
  /// The value of an option; nil if it is not a setting.
  fileprivate func value(of option: ServerOption) -> String? {
    func list(_ values: [String]) -> String { values.joined(separator: ", ") }
    func state(_ isOn: Bool) -> String { isOn ? "on" : "off" }
    return switch option {
    case .config: list(files)
    case .listen:
      list(addresses.isEmpty && proxyAddresses.isEmpty ? ListenAddress.usual : addresses)
    case .listenProxy: list(proxyAddresses)
    case .http:
      switch web {
      case .usual: webProxyAddresses.isEmpty ? WebPlace.usualAddress : ""
      case .at(let address): address
      case .none: "off"
      }
    case .httpProxy: list(webProxyAddresses)
    case .httpOrigin: list(webOrigins)
    case .httpShowValues: state(webShowsValues)
    case .portsFile: portsFile ?? ""
    case .tokenFile: tokenFile ?? ""
    case .logLevel: logLevel.rawValue
    case .logFormat: logFormat.rawValue
    case .threads: "\(threads)"
    case .natsLogin: natsLogin ?? ""
    case .insecureOpen: state(isOpen)
    // Files may set these as well; they are among `settings`.
    case .memory, .nats: nil
    case .version, .help: nil
    }
  }
}
