import Programs

/// Shell completion scripts, made from the tables: `completion SHELL`.
///
/// For the server's names they call `completion names OPERAND` with the options that name the
/// server.
enum Completion: String, CaseIterable {
  case bash, zsh, fish

  /// The word in place of a shell that requests names.
  static let names = "names"

  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  /// The spellings of the options for which `isMeant` is true, as a shell pattern: `--for | -n`.
  static func spellings(_ isMeant: (OptionEntry) -> Bool) -> String {
    spellings(OptionTable.all.filter { $0.value != nil && isMeant($0) }).joined(separator: " | ")
  }

  /// The spellings of options, long ones first.
  static func spellings(_ options: [OptionEntry]) -> [String] {
    options.map { "--\($0.name.rawValue)" } + options.compactMap { $0.short.map { "-\($0)" } }
  }

  /// Whether an option selects the server or authenticates.
  static func isOfServer(_ option: OptionEntry) -> Bool {
    ["server", "token-file"].contains(option.name)
  }

  static func namesFile(_ option: OptionEntry) -> Bool { option.value == "FILE" }

  /// The cases, for bash and zsh, of options whose value is one of a few words; `command` handles
  /// the words.
  static func cases(_ command: (String) -> String) -> String {
    OptionTable.all.compactMap { option in
      if option.name == "format" || option.words.isEmpty { return nil }
      let words = option.words.joined(separator: " ")
      return "    \(spellings { $0.name == option.name })) \(command(words)) ;;"
    }
    .joined(separator: "\n")
  }
}

extension VerbEntry {
  /// The values that an option may have in this command.
  func words(of option: OptionEntry) -> [String] {
    option.name == "output" ? forms : option.words
  }

  var formats: [String] { option("format")?.words ?? [] }

  /// All options, with their meaning in this command.
  var allOptions: [OptionEntry] { options + generalOptions }

  var takesFiles: Bool { operands.contains("FILE") }
}
