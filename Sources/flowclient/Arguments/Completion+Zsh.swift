import Programs

extension Completion {
  /// The file `_flowclient` of zsh's `fpath`, which can also be sourced after `compinit`.
  static var zshScript: String {
    let verbs = VerbTable.all.map { described($0.name, $0.summary) }
    let cases = VerbTable.all.map { verb in
      var lines = ["    \(verb.name))"]
      lines += ["      options=(", rows(verb.allOptions), "      )"]
      let (forms, formats) = (
        verb.forms.joined(separator: " "), verb.formats.joined(separator: " ")
      )
      lines.append("      operand=\(verb.operand.rawValue) forms=(\(forms)) formats=(\(formats))")
      if !verb.words.isEmpty {
        lines.append("      choices=(\(verb.words.joined(separator: " ")))")
      }
      if verb.takesFiles { lines.append("      files=1") }
      return (lines + ["      ;;"]).joined(separator: "\n")
    }
    return """
      #compdef flowclient
      _flowclient() {
        local verb= operands=0 operand=nothing files= index
        local -a options choices forms formats names server
        for ((index = 2; index < CURRENT; index++)); do
          case ${words[index]} in
          \(spellings(isOfServer))) server+=("${(Q)words[index]}" "${(Q)words[index + 1]}"); ((index++)) ;;
          --server=* | --token-file=* | -s*) server+=("${(Q)words[index]}") ;;
          \(spellings { !isOfServer($0) })) ((index++)) ;;
          -*) ;;
          *) if [[ -z $verb ]]; then verb=${words[index]}; else ((operands++)); fi ;;
          esac
        done
        case $verb in
          "")
            options=(
      \(rows(OptionTable.generalEntries))
            )
            choices=(
      \(verbs.map { "        \($0)" }.joined(separator: "\n"))
            )
            ;;
      \(cases.joined(separator: "\n"))
          *) files=1 ;;
        esac
        if ((index > CURRENT)); then
          # The word is the value of an option.
          case ${words[CURRENT - 1]} in
          \(spellings { $0.name == "output" })) compadd -a forms ;;
          \(spellings { $0.name == "format" })) compadd -a formats ;;
      \(Self.cases { "compadd \($0)" })
          \(spellings(namesFile))) _files ;;
          esac
          return
        fi
        if [[ ${words[CURRENT]} == -* ]]; then
          _describe -o option options
          return
        fi
        if [[ $operand != nothing ]] && ((operands == 0)); then
          names=(${(f)"$("${(Q)words[1]}" "${server[@]}" completion \(names) $operand 2> /dev/null)"})
          compadd -a names
        fi
        if ((${#choices})); then _describe command choices; fi
        if [[ -n $files ]]; then _files; fi
      }
      if [[ ${funcstack[1]} == _flowclient ]]; then _flowclient "$@"; else compdef _flowclient flowclient; fi

      """
  }

  private static func rows(_ options: [OptionEntry]) -> String {
    options.flatMap { option in
      spellings([option]).map { "        \(described($0, option.summary))" }
    }
    .joined(separator: "\n")
  }

  private static func described(_ word: String, _ summary: String) -> String {
    "'\(word):\(summary.replacing("'", with: "'\\''"))'"
  }
}
