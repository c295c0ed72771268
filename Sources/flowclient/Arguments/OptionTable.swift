import Programs

enum OptionTable {
  static let general: [CommandOption<Invocation>] = [
    .value(
      "server",
      short: "s",
      .server,
      "HOST, HOST:PORT or unix:PATH; default 127.0.0.1:3569",
      \.server
    ),
    .value(
      "token-file",
      .text("FILE"),
      "use the first token in FILE; default: FLOW_TOKEN",
      \.tokenFile
    ),
    .value(
      "output",
      short: "o",
      .text("FORM"),
      "text, json, or another one that COMMAND --help names",
      \.output
    ),
    .flag("quiet", short: "q", "print only errors on standard error", \.isQuiet),
    .flag("verbose", short: "v", "print more on standard error", \.isVerbose),
    .flag("trace", "print every frame on standard error", \.traces),
    .value("color", .choice("WHEN"), "auto, always or never", \.color),
    .flag("help", short: "h", "print this help and exit", \.wantsHelp),
    .flag("version", short: "V", "print the version and exit", \.wantsVersion),
  ]

  static let generalEntries = general.map(\.entry)

  /// Options of Redis, NATS, MQTT and Kafka clients, with their spelling here.
  static let elsewhere = [
    "-c": "-n N", "--limit": "-n N", "--max": "-n N", "--head": "-n N", "--lines": "-n N",
    "-p": "-s HOST:PORT", "--port": "-s HOST:PORT", "-H": "-s HOST", "--host": "-s HOST",
    "-a": "-s ADDRESS", "--address": "-s ADDRESS", "--url": "-s ADDRESS",
    "-u": "--token-file FILE", "--user": "--token-file FILE", "--token": "--token-file FILE",
    "--password": "--token-file FILE", "--json": "-o json", "--raw": "-o raw",
    "--csv": "--format csv", "--debug": "--trace", "--silent": "--quiet",
  ]

  /// One row for each option name, with its meaning in the first command that has it.
  static let all = VerbTable.all.flatMap(\.options).reduce(into: generalEntries) { rows, row in
    if !rows.contains(where: { $0.name == row.name }) { rows.append(row) }
  }
}

extension OptionType<String> {
  fileprivate static var server: Self {
    Self("ADDRESS") { option throws(UsageError) in
      try ServerPlace.read(option.value, place: option.source)
    }
  }
}
