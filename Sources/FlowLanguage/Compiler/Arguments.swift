import Spelling

/// The arguments of a call, checked against the signature of what is called.
struct Arguments {
  let entry: OperatorEntry
  let range: Range<Int>
  private let list: [Argument]

  /// Checks the labels of `list`, and that those in `needed` are there.
  ///
  /// - Throws: all that is wrong with the labels of the call.
  init(
    _ list: [Argument],
    of entry: OperatorEntry,
    at range: Range<Int>,
    unlabelled most: Int,
    needing needed: [String] = []
  ) throws(Diagnostic) {
    self.entry = entry
    self.range = range
    self.list = list
    for argument in list {
      if case .unread(let mistake) = argument.value.kind { throw mistake }
    }
    let wrong = wrongLabels
    var mistakes = wrong.mistakes
    if let mistake = wrongOrder { mistakes.append(mistake) }
    let missing = needed.filter { labelled($0) == nil && !wrong.meant.contains($0) }
    let unlabelled = list.filter { $0.label == nil }
    if unlabelled.count > most {
      mistakes.append(tooMany(unlabelled, most, missing))
    } else if !missing.isEmpty {
      let labels = missing.map { "\"\($0):\"" }
      let last = labels.count > 1 ? " and \(labels[labels.count - 1])" : labels[0]
      let others = labels.count > 1 ? labels.dropLast().joined(separator: ", ") : ""
      mistakes.append(self.missing(others + last))
    }
    guard let first = mistakes.first else { return }
    throw first.followed(by: Array(mistakes.dropFirst()))
  }

  /// The mistakes in the given labels, and the labels that were probably meant.
  private var wrongLabels: (mistakes: [Diagnostic], meant: Set<String>) {
    var mistakes: [Diagnostic] = []
    var meant: Set<String> = []
    var seen: Set<String> = []
    for argument in list {
      guard let label = argument.label else { continue }
      if !entry.labels.contains(label), !entry.ignored.contains(label) {
        let (mistake, other) = wrongLabel(label, of: argument)
        mistakes.append(mistake)
        if let other { meant.insert(other) }
      } else if !seen.insert(label).inserted {
        mistakes.append(Diagnostic("\"\(label.excerpt())\" is given twice", at: argument.range))
      }
    }
    return (mistakes, meant)
  }

  /// The mistake of a label that the signature does not have, and the label that was probably meant.
  private func wrongLabel(
    _ label: String,
    of argument: Argument
  ) -> (mistake: Diagnostic, meant: String?) {
    let place = argument.range.lowerBound..<argument.range.lowerBound + label.count
    guard let other = ForeignWord.labels[label]?.first(where: entry.labels.contains) else {
      let mistake = Diagnostic.unknown(
        "argument",
        label,
        of: entry.name,
        at: place,
        among: entry.labels,
        instead: entry.signature
      )
      return (mistake, mistake.suggestion)
    }
    let message = "\(entry.name) has no argument \"\(label)\""
    guard isTime(other), argument.value.number != nil else {
      return (Diagnostic(message, at: place, suggestion: other), other)
    }
    let unit = label == "seconds" ? label : nil
    let suggestion = written(argument.value, as: other, unit: unit)
    return (Diagnostic(message, at: argument.range, suggestion: suggestion), other)
  }

  /// The mistake if labels do not come in the order of the signature; a closure without one may trail.
  private var wrongOrder: Diagnostic? {
    var last: (label: String, place: Int)?
    for argument in list where argument.label != nil || !argument.value.isFunction {
      var place = -1
      if let label = argument.label {
        guard let known = entry.place(of: label) else { continue }
        place = known
      }
      if let last, place < last.place {
        let what = argument.label.map { "\"\($0):\"" } ?? "the argument without a label"
        return Diagnostic(
          "\(what) must come before \"\(last.label):\" in \(entry.signature)",
          at: argument.range
        )
      }
      if let label = argument.label { last = (label, place) }
    }
    return nil
  }

  // MARK: Missing labels

  private func tooMany(
    _ unlabelled: [Argument],
    _ most: Int,
    _ needed: [String]
  ) -> Diagnostic {
    let trails = unlabelled.last?.value.isFunction ?? false
    if most == 1, trails, !entry.labels.isEmpty, unlabelled.count == list.count {
      return missingLabels([unlabelled[0]], needed)
    }
    let surplus = unlabelled[most]
    if most == 0 {
      if case .closure = surplus.value.kind {
        return Diagnostic("\(entry.name) takes no closure: \(entry.signature)", at: surplus.range)
      }
      if entry.labels.isEmpty {
        let message = "\(entry.name) takes no arguments: \(entry.signature)"
        return Diagnostic(message, at: surplus.range)
      }
      let isWhole = unlabelled.count == list.count && !trails
      return missingLabels(isWhole ? unlabelled : [surplus], needed)
    }
    if surplus.value.number != nil, freeLabels.contains(where: isTime) {
      return missingLabels([surplus], needed)
    }
    return Diagnostic("too many arguments: \(entry.signature)", at: surplus.range)
  }

  /// The mistake of values without labels.
  ///
  /// The suggestion gives each the next label that it fits, and adds the other labels that are
  /// `needed`, with the values of the signature.
  private func missingLabels(_ values: [Argument], _ needed: [String] = []) -> Diagnostic {
    let suggestion = labelling(values.map(\.value), needed)
    if suggestion == nil, values.count > 1 { return missingLabels([values[0]], needed) }
    let end = values[values.count - 1].range.upperBound
    return Diagnostic(
      "missing label: \(entry.signature)",
      at: values[0].range.lowerBound..<end,
      suggestion: suggestion.flatMap { $0.count > 100 ? nil : $0 }
    )
  }

  private func labelling(_ values: [Syntax], _ needed: [String]) -> String? {
    var free = freeLabels[...]
    var parts: [String] = []
    var needed = needed
    for value in values {
      guard let place = free.firstIndex(where: { fits(value, $0) }) else { return nil }
      let label = free[place]
      parts.append(written(value, as: label))
      needed.removeAll { $0 == label }
      free = free[(place + 1)...]
    }
    for label in needed {
      let example = form(of: label).prefix { $0 != "," && $0 != ")" }
      if example.hasPrefix(".") { parts.append("\(label): \(example)") }
    }
    return parts.joined(separator: ", ")
  }

  private var freeLabels: [String] { entry.labels.filter { labelled($0) == nil } }

  /// Returns the rest of the operator's signature behind `label`, such as `time, scheduler: …`.
  private func form(of label: String) -> Substring {
    let place = entry.signature.firstRange(of: "\(label): ")
    return place.map { entry.signature[$0.upperBound...] } ?? ""
  }

  private func isTime(_ label: String) -> Bool { form(of: label).hasPrefix("time") }

  /// Whether a value may be meant for a label.
  private func fits(_ value: Syntax, _ label: String) -> Bool {
    let form = form(of: label)
    guard !form.hasPrefix("{") else { return value.isFunction }
    switch value.kind {
    case .closure, .keyPath: return false
    case .literal(let literal):
      if case .bool = literal { return form.hasPrefix("true") }
      return form.hasPrefix(".unlimited")
        || !["publisher", "DispatchQueue", ".", "true"].contains { form.hasPrefix($0) }
    default: return !form.hasPrefix("true")
    }
  }

  /// A value behind its label; a bare number for a time gets the unit that was probably meant.
  private func written(_ value: Syntax, as label: String, unit: String? = nil) -> String {
    let text = SyntaxPrinter.print(value)
    guard isTime(label), let number = value.number else { return "\(label): \(text)" }
    // Other libraries count milliseconds; a number below 50 is more likely one of seconds.
    let likely = number < 50 ? "seconds" : "milliseconds"
    return "\(label): .\(unit ?? likely)(\(text))"
  }

  // MARK: Finding arguments

  /// The arguments without a label.
  var unlabelled: [Syntax] { list.filter { $0.label == nil }.map(\.value) }

  /// The argument called `label`, if it is given.
  func labelled(_ label: String) -> Syntax? { list.first { $0.label == label }?.value }

  /// The argument called `label`, which has to be given.
  func required(_ label: String) throws(Diagnostic) -> Syntax {
    if let syntax = labelled(label) { return syntax }
    guard let bare = list.first(where: { $0.label == nil && !$0.value.isFunction }),
      entry.signature.hasPrefix("\(entry.name)(\(label):")
    else { throw missing("\"\(label):\"") }
    throw missingLabels([bare])
  }

  /// The first argument without a label, which has to be given.
  func first(_ what: String) throws(Diagnostic) -> Syntax {
    guard let syntax = unlabelled.first else { throw missing(what) }
    return syntax
  }

  /// The last argument without a label, or the one called `label`: a closure.
  func function(_ label: String? = nil) throws(Diagnostic) -> Syntax {
    guard let syntax = label.flatMap(labelled) ?? unlabelled.last else {
      throw missing("a closure")
    }
    switch syntax.kind {
    case .closure, .keyPath: return syntax
    default: throw Diagnostic("expected a closure: \(entry.signature)", at: syntax.range)
    }
  }

  func missing(_ what: String) -> Diagnostic {
    Diagnostic("\(entry.name) needs \(what): \(entry.signature)", at: range)
  }
}

extension Syntax {
  /// The number that a literal stands for.
  var number: Double? {
    guard case .literal(let value) = kind else { return nil }
    return switch value {
    case .int(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }
}
