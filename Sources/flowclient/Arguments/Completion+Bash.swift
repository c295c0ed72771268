import Programs

extension Completion {
  static var bashScript: String {
    let cases = VerbTable.all.map { verb in
      let options = spellings(verb.allOptions).joined(separator: " ")
      var line = "options=\"\(options)\" operand=\(verb.operand.rawValue)"
      line += " forms=\"\(verb.forms.joined(separator: " "))\""
      if !verb.formats.isEmpty { line += " formats=\"\(verb.formats.joined(separator: " "))\"" }
      if !verb.words.isEmpty { line += " choices=\"\(verb.words.joined(separator: " "))\"" }
      if verb.takesFiles { line += " files=1" }
      return "    \(verb.name)) \(line) ;;"
    }
    return """
      _flowclient() {
        # bash would cut words at colons and equals signs, too.
        local line=${COMP_LINE:0:$COMP_POINT} verb= operands=0 files= choices= index last word head
        local options="\(spellings(OptionTable.generalEntries).joined(separator: " "))" operand=nothing forms= formats=
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
          \(spellings(isOfServer))) server+=("${parts[$index]}" "${parts[$((index + 1))]}"); ((index++)) ;;
          --server=* | --token-file=* | -s*) server+=("${parts[$index]}") ;;
          \(spellings { !isOfServer($0) })) ((index++)) ;;
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
          # The word is the value of an option.
          choices= files=
          case ${parts[$((last - 1))]} in
          \(spellings { $0.name == "output" })) choices=$forms ;;
          \(spellings { $0.name == "format" })) choices=$formats ;;
      \(Self.cases { "choices=\"\($0)\"" })
          \(spellings(namesFile))) files=1 ;;
          esac
          COMPREPLY=($(compgen -W "$choices" -- "$word"))
        elif [[ $word == -* ]]; then
          files=
          COMPREPLY=($(compgen -W "$options" -- "$word"))
        else
          if [[ $operand != nothing ]] && ((operands == 0)); then
            choices=$("${parts[0]}" "${server[@]}" completion \(names) $operand 2> /dev/null)
          fi
          COMPREPLY=($(compgen -W "$choices" -- "$word"))
        fi
        if [[ -n $files ]]; then
          # Blanks in the names of files are escaped, and folders have a slash.
          if ((${#COMPREPLY[@]} == 0)); then compopt -o filenames 2> /dev/null; fi
          while IFS= read -r head; do COMPREPLY+=("$head"); done < <(compgen -f -- "$word")
        fi
        # What bash takes for the word is behind its last colon or equals sign.
        if [[ $word == *[:=]* ]]; then
          head=${word%"${word##*[:=]}"}
          for ((index = 0; index < ${#COMPREPLY[@]}; index++)); do
            COMPREPLY[$index]=${COMPREPLY[$index]#"$head"}
          done
        fi
      }
      complete -F _flowclient flowclient

      """
  }
}
