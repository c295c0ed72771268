internal import FlowLanguage
internal import FlowWire

/// Looks for what is accepted and probably not meant.
public struct Lint {
  let definitions: Definitions
  private var findings: [Finding] = []

  /// The warnings about `definitions`, in the order of their places, without those that a comment
  /// `# lint: ignore W2 W5` on the line before asks to leave out.
  public static func warnings(of definitions: Definitions) -> [Finding] {
    var lint = Lint(definitions: definitions)
    lint.checkSubjects()
    let rates = lint.statedRates()
    for definition in definitions.all {
      guard let pipeline = definition.pipeline else { continue }
      lint.checkStages(of: definition, pipeline.stages)
      lint.checkRates(of: definition, pipeline.stages, rates)
      lint.checkTarget(of: definition)
      lint.checkCalls(of: definition)
    }
    return lint.findings.sorted()
  }

  private init(definitions: Definitions) { self.definitions = definitions }

  // MARK: Findings

  mutating func warn(_ rule: LintRule, _ message: String, of definition: Definition) {
    add(rule, definition, at: 0, length: definition.line.text.count, message)
  }

  mutating func warn(
    _ rule: LintRule,
    _ message: String,
    _ stage: StageDescription,
    of definition: Definition
  ) {
    add(
      rule,
      definition,
      at: definition.offset + stage.range.lowerBound,
      length: stage.range.count,
      message
    )
  }

  private mutating func add(
    _ rule: LintRule,
    _ definition: Definition,
    at offset: Int,
    length: Int,
    _ message: String
  ) {
    let line = definition.line
    let finding = definition.file.finding(
      .warning,
      code: rule.rawValue,
      "\(message); \(rule.advice)",
      in: line,
      at: offset,
      length: length
    )
    guard !isIgnored(rule, before: [line.number, finding.place.line], in: definition.file) else {
      return
    }
    findings.append(finding)
  }

  /// Whether a comment right above one of the lines leaves out the rule.
  private func isIgnored(_ rule: LintRule, before lines: [Int], in file: FlowFile) -> Bool {
    lines.contains { line in
      var above = line - 1
      while let comment = file.comments.first(where: { $0.line == above }) {
        let words = comment.text.split { " ,\t".contains($0) }
        if words.starts(with: ["lint:", "ignore"]), words.contains(Substring(rule.rawValue)) {
          return true
        }
        above -= 1
      }
      return false
    }
  }

  // MARK: Subjects

  private mutating func checkSubjects() {
    // What a file that cannot be read says is not known.
    guard !definitions.script.isIncomplete else { return }
    var used = definitions.errors.isEmpty ? [] : mentionedWords
    for definition in definitions.all {
      used.formUnion(definition.pipeline?.subjects ?? [])
      if case .run(let standing) = definition.content { used.formUnion(standing.outputs) }
    }
    let patterns = definitions.all.flatMap { $0.pipeline?.patterns ?? [] }
    for definition in definitions.all where !used.contains(definition.name) {
      guard case .subject = definition.content,
        !patterns.contains(where: { $0.contains(definition.name) })
      else { continue }
      warn(.unread, "nothing in the files reads \(definition.name) or sends to it", of: definition)
    }
  }

  /// The words of all expressions, right or wrong: what is wrong may mean to read a subject.
  private var mentionedWords: Set<String> {
    var words: Set<String> = []
    for step in definitions.script.steps {
      guard case .command = step.statement.kind else { continue }
      let parts = step.statement.line.text.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, !parts[0].uppercased().hasPrefix("SUBJECT") else { continue }
      // A slash may be of a name, or divide.
      for signs in ["_-$", "_-$/"] {
        let isPart = { (character: Character) in
          character.isLetter || character.isNumber || signs.contains(character)
        }
        words.formUnion(parts[1].split { !isPart($0) }.map(String.init))
      }
    }
    return words
  }

  /// Whether values are missed of the subject, or of one that fits, while there is no demand.
  func isFree(_ subject: String) -> Bool {
    if let set = SubjectSet(subject) { return names(in: set).contains(where: isFree) }
    return if case .subject(let settings) = definitions[subject]?.content {
      settings.flow == .free && settings.kind == .passthrough
    } else {
      Definitions.ownSubjects.contains(subject)
    }
  }

  /// Whether the source is a subject that waits for demand.
  func canWait(_ source: StageDescription) -> Bool {
    guard source.name == nil else { return false }
    if let set = SubjectSet(source.text) { return names(in: set).contains(where: canWait) }
    return canWait(source.text)
  }

  private func canWait(_ subject: String) -> Bool {
    if case .subject(let settings) = definitions[subject]?.content {
      settings.flow == .slowest
    } else {
      false
    }
  }

  private func names(in set: SubjectSet) -> [String] {
    definitions.all.map(\.name).filter(set.contains)
  }

  private mutating func checkTarget(of definition: Definition) {
    guard case .run(let standing) = definition.content, isFree(standing.target),
      let source = standing.pipeline.stages.first, canWait(source),
      !standing.pipeline.stages.boundsDemand
    else { return }
    let message =
      "\(definition.name) requests everything from \(source.text), because \(standing.target) grants everything"
      + " and misses values without demand"
    add(
      .unlimited,
      definition,
      at: definition.line.text.count - standing.lastStage.text.count,
      length: standing.lastStage.text.count,
      message
    )
  }
}
