import Programs

extension Completion {
  static var fishScript: String {
    var lines = fishFunctions.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    func add(_ condition: String, _ rest: String) {
      lines.append("complete -c flowclient -n '\(condition)' \(rest)")
    }
    for verb in VerbTable.all {
      add("__flowclient_is", "-a \(verb.name) -d \(quoted(verb.summary))")
    }
    for option in OptionTable.generalEntries {
      add("__flowclient_is", row(option, words: option.words))
    }
    for verb in VerbTable.all {
      let condition = "__flowclient_is \(verb.name)"
      for option in verb.allOptions {
        add(condition, row(option, words: verb.words(of: option)))
      }
      if verb.operand != .nothing {
        add("\(condition) 0", "-a '(__flowclient_names \(verb.operand.rawValue))'")
      }
      if !verb.words.isEmpty { add(condition, "-a \(quoted(verb.words.joined(separator: " ")))") }
      if verb.takesFiles { add(condition, "-F") }
    }
    return lines.map { "\($0)\n" }.joined()
  }

  private static func row(_ option: OptionEntry, words: [String]) -> String {
    let short = option.short.map { " -s \($0)" } ?? ""
    let value =
      switch option.value {
      case nil: ""
      case .some where namesFile(option): " -r -F"
      case .some where !words.isEmpty: " -x -a \(quoted(words.joined(separator: " ")))"
      default: " -x"
      }
    return "-l \(option.name.rawValue)\(short)\(value) -d \(quoted(option.summary))"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }

  /// Functions that return the command, the operand count and the server before the cursor.
  private static var fishFunctions: String {
    """
    function __flowclient_is -d 'whether this is the command, and has so many operands'
      set -l words (commandline -opc)
      set -l operands
      set -l before
      for index in (seq 2 (count $words))
        switch "$before"
          case \(fishPatterns { _ in true })
            set before
            continue
        end
        set before $words[$index]
        switch $before
          case '-*'
          case '*'
            set operands $operands $before
        end
      end
      set -l count $argv[2]
      test "$operands[1]" = "$argv[1]"
      and test -z "$count" -o "$count" = (math (count $operands) - 1)
    end
    function __flowclient_names -d 'asks the server that the words before say'
      set -l words (commandline -opc)
      set -l server
      for index in (seq 2 (count $words))
        switch $words[$index]
          case \(fishPatterns(isOfServer))
            set server $server $words[$index] $words[(math $index + 1)]
          case '-s?*' '--server=*' '--token-file=*'
            set server $server $words[$index]
        end
      end
      $words[1] $server completion \(names) $argv[1] 2>/dev/null
    end
    complete -c flowclient -f
    """
  }

  private static func fishPatterns(_ isMeant: (OptionEntry) -> Bool) -> String {
    spellings(isMeant).replacing(" | ", with: " ")
  }
}
