import Programs

/// Scripts that complete words in a shell, made from the tables: `completion SHELL`.
enum Completion: String, CaseIterable {
  case bash, zsh, fish

  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: "autoload -U +X bashcompinit && bashcompinit\n\(Self.bashScript)"
    case .fish: Self.fishScript
    }
  }

  private static func words(_ names: [OptionName]) -> String {
    names.compactMap(OptionTable.entry).flatMap { option in
      ["--\(option.name.rawValue)"] + (option.short.map { ["-\($0)"] } ?? [])
    }
    .joined(separator: " ")
  }

  private static var bashScript: String {
    let cases = VerbTable.all.filter { !$0.options.isEmpty || $0.operands.hasPrefix("FILE") }.map {
      "    \($0.name)) words=\"\(words($0.options + OptionTable.general))\" ;;"
    }
    return """
      _flowclient() {
        local word=${COMP_WORDS[COMP_CWORD]} verb= words= index
        for ((index = 1; index < COMP_CWORD; index++)); do
          case ${COMP_WORDS[index]} in
          -s | --server | -o | --output | --color | --token-file) ((index++)) ;;
          -*) ;;
          *) verb=${COMP_WORDS[index]}; break ;;
          esac
        done
        case $verb in
          "") words="\(VerbTable.all.map(\.name).joined(separator: " ")) \(words(OptionTable.general))" ;;
      \(cases.joined(separator: "\n"))
          *) words="\(words(OptionTable.general))" ;;
        esac
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        if [[ -n $verb && $word != -* ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
      }
      complete -F _flowclient flowclient

      """
  }

  private static var fishScript: String {
    var lines: [String] = []
    func quoted(_ text: String) -> String {
      "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
    for verb in VerbTable.all {
      let summary = quoted(verb.summary)
      lines.append("complete -c flowclient -n __fish_use_subcommand -a \(verb.name) -d \(summary)")
    }
    func line(_ option: OptionEntry, _ condition: String) -> String {
      let short = option.short.map { " -s \($0)" } ?? ""
      let value = option.value == nil ? "" : " -r"
      return "complete -c flowclient\(condition) -l \(option.name.rawValue)\(short)\(value)"
        + " -d \(quoted(option.summary))"
    }
    lines += OptionTable.general.compactMap(OptionTable.entry).map { line($0, "") }
    for verb in VerbTable.all {
      lines += verb.options.compactMap(OptionTable.entry).map {
        line($0, " -n '__fish_seen_subcommand_from \(verb.name)'")
      }
    }
    return lines.map { "\($0)\n" }.joined()
  }
}
