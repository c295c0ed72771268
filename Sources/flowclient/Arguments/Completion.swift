import Programs

/// Scripts that complete words in a shell, made from the tables: `completion SHELL`.
///
/// For the names of the server they call the program itself: `completion names OPERAND`, with the options
/// that say which server it is.
enum Completion: String, CaseIterable {
  case bash, zsh, fish

  /// The word in the place of a shell that asks for names.
  static let names = "names"

  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  static let general = OptionTable.generalEntries

  /// The spellings of options for which `isMeant` is true, as patterns of a shell: `--for | -n`.
  static func spellings(_ isMeant: (OptionEntry) -> Bool) -> String {
    spellings(OptionTable.all.filter { $0.value != nil && isMeant($0) }).joined(separator: " | ")
  }

  /// The spellings of options, all long ones first.
  static func spellings(_ options: [OptionEntry]) -> [String] {
    options.map { "--\($0.name.rawValue)" } + options.compactMap { $0.short.map { "-\($0)" } }
  }

  /// Whether an option says which server it is, and how to be let in.
  static func isOfServer(_ option: OptionEntry) -> Bool {
    ["server", "token-file"].contains(option.name)
  }

  static func namesFile(_ option: OptionEntry) -> Bool { option.value == "FILE" }

  /// For bash and zsh: a case for each option whose value is one of a few words, the same in all
  /// commands, with what the shell does with the words.
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
  /// The words that the value of an option may be here.
  func words(of option: OptionEntry) -> [String] {
    option.name == "output" ? forms : option.words
  }

  /// The words that `--format` may be.
  var formats: [String] { option("format")?.words ?? [] }

  /// All options with what they mean here.
  var allOptions: [OptionEntry] { options + generalOptions }

  /// Whether its operands are files, or may be.
  var takesFiles: Bool { operands.contains("FILE") }
}
