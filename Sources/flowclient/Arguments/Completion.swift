import Programs

/// Scripts that complete words in a shell, made from the tables: `completion SHELL`.
///
/// For the names of the server they call the program itself: `completion names OPERAND`, with the options
/// that say which server it is.
enum Completion: String, CaseIterable {
  case bash, zsh, fish

  /// What stands in place of a shell where names are asked for.
  static let names = "names"

  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: "autoload -U +X bashcompinit && bashcompinit\n\(Self.bashScript)"
    case .fish: Self.fishScript
    }
  }

  private static func words(_ options: [OptionEntry]) -> String {
    options.flatMap { option in
      ["--\(option.name.rawValue)"] + (option.short.map { ["-\($0)"] } ?? [])
    }
    .joined(separator: " ")
  }

  private static let general = OptionTable.general.compactMap(OptionTable.entry)

  /// How options are written that take a value, and those of them that say which server it is.
  private static func spellings(_ options: [OptionEntry]) -> String {
    let long = options.map { "--\($0.name.rawValue)" }
    return (long + options.compactMap { $0.short.map { "-\($0)" } }).joined(separator: " | ")
  }

  private static let withValue = spellings(OptionTable.all.filter { $0.value != nil })
  private static let ofServer = spellings(
    [OptionName.server, .tokenFile].compactMap(OptionTable.entry)
  )

  private static var bashScript: String {
    let cases = VerbTable.all.map { verb in
      let options = words(verb.describedOptions + verb.describedGeneralOptions)
      var line = "options=\"\(options)\" operand=\(verb.operand.rawValue)"
      if !verb.words.isEmpty { line += " choices=\"\(verb.words.joined(separator: " "))\"" }
      if verb.operands.contains("FILE") { line += " files=1" }
      return "    \(verb.name)) \(line) ;;"
    }
    return """
      _flowclient() {
        # bash would cut words at colons and equals signs, too. zsh reads this as well.
        local line=${COMP_LINE:0:$COMP_POINT} verb= operands=0 files= choices= index last word head
        local options="\(words(general))" operand=nothing
        local -a parts server
        set -f
        parts=($line)
        set +f
        if [[ $line == *[[:blank:]] ]]; then parts+=(""); fi
        last=$((${#parts[@]} - 1))
        word=${parts[$last]}
        server=()
        for ((index = 1; index < last; index++)); do
          case ${parts[$index]} in
          \(ofServer)) server+=("${parts[$index]}" "${parts[$((index + 1))]}"); ((index++)) ;;
          --server=* | --token-file=* | -s*) server+=("${parts[$index]}") ;;
          \(withValue)) ((index++)) ;;
          -*) ;;
          *) if [[ -z $verb ]]; then verb=${parts[$index]}; else ((operands++)); fi ;;
          esac
        done
        case $verb in
          "") choices="\(VerbTable.all.map(\.name).joined(separator: " "))" ;;
      \(cases.joined(separator: "\n"))
          *) files=1 ;;
        esac
        COMPREPLY=()
        if ((index > last)); then
          COMPREPLY=($(compgen -f -- "$word"))
        elif [[ $word == -* ]]; then
          COMPREPLY=($(compgen -W "$options" -- "$word"))
        else
          if [[ $operand != nothing ]] && ((operands == 0)); then
            choices=$("${parts[0]}" "${server[@]}" completion \(names) $operand 2> /dev/null)
          fi
          COMPREPLY=($(compgen -W "$choices" -- "$word"))
          if [[ -n $files ]]; then COMPREPLY+=($(compgen -f -- "$word")); fi
        fi
        # What bash takes for the word is behind its last colon or equals sign.
        if [[ -n $BASH_VERSION && $word == *[:=]* ]]; then
          head=${word%"${word##*[:=]}"}
          for ((index = 0; index < ${#COMPREPLY[@]}; index++)); do
            COMPREPLY[$index]=${COMPREPLY[$index]#"$head"}
          done
        fi
      }
      complete -F _flowclient flowclient

      """
  }

  private static var fishScript: String {
    func quoted(_ text: String) -> String {
      "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
    func line(_ option: OptionEntry, _ condition: String) -> String {
      let short = option.short.map { " -s \($0)" } ?? ""
      let value = option.value == nil ? "" : " -r"
      return "complete -c flowclient\(condition) -l \(option.name.rawValue)\(short)\(value)"
        + " -d \(quoted(option.summary))"
    }
    var lines = fishNames
    for verb in VerbTable.all {
      let summary = quoted(verb.summary)
      lines.append("complete -c flowclient -n __fish_use_subcommand -a \(verb.name) -d \(summary)")
    }
    lines += general.map { line($0, "") }
    for verb in VerbTable.all {
      let condition = " -n '__fish_seen_subcommand_from \(verb.name)'"
      lines += verb.describedOptions.map { line($0, condition) }
      switch verb.operand {
      case .subject, .source, .name:
        let names = "'(__flowclient_names \(verb.operand.rawValue))'"
        let files = verb.operands.contains("FILE") ? "" : " -f"
        lines.append("complete -c flowclient\(condition)\(files) -a \(names)")
      case .nothing where !verb.words.isEmpty:
        let words = quoted(verb.words.joined(separator: " "))
        lines.append("complete -c flowclient\(condition) -f -a \(words)")
      case .nothing: break
      }
    }
    return lines.map { "\($0)\n" }.joined()
  }

  /// Asks the server that the words before say.
  private static let fishNames = [
    "function __flowclient_names",
    "  set -l words (commandline -opc)",
    "  set -l server",
    "  for index in (seq 2 (count $words))",
    "    switch $words[$index]",
    "      case -s --server --token-file",
    "        set server $server $words[$index] $words[(math $index + 1)]",
    "      case '-s?*' '--server=*' '--token-file=*'",
    "        set server $server $words[$index]",
    "    end",
    "  end",
    "  $words[1] $server completion \(names) $argv[1] 2>/dev/null",
    "end",
  ]
}
