import FlowFiles
import FlowLanguage
import FlowWire

/// Finds what is wrong with a line that is being typed, as far as nothing that may follow mends it.
///
/// It knows no names: which there are is for the server to say.
struct Diagnosis: Equatable {
  /// The place of the mistake, in characters of the line.
  let range: Range<Int>
  let message: String

  /// A longer line is not looked into while it is typed.
  private static let longest = 4096

  /// Checks a line up to its end; `known` says whether a name exists, which tells `a-b` from a
  /// difference.
  init?(_ characters: [Character], known: @escaping (String) -> Bool = { _ in false }) {
    guard characters.count <= Self.longest else { return nil }
    let line = TypedLine(characters)
    guard !line.word.isEmpty, line.word.first != ":", line.word.first != "=", line.word.first != "#"
    else { return nil }
    if let start = line.expression?.lowerBound, let text = line.expressionText {
      let expression = UnfinishedExpression(text, isName: known)
      if let mistake = expression.mistake(isRun: line.verb == .run, known: known) {
        range = (mistake.offset + start)..<(mistake.offset + start + max(1, mistake.length))
        message = mistake.text
        return
      }
    }
    guard let found = Self.wireMistake(characters, line) else { return nil }
    self = found
  }

  private init(_ range: Range<Int>, _ message: String) {
    self.range = range
    self.message = message
  }

  /// Returns the mistake in the words of a command.
  private static func wireMistake(_ characters: [Character], _ line: TypedLine) -> Diagnosis? {
    let text = String(characters)
    do throws(CommandError) {
      _ = try TaggedCommand(text.replacing("\n", with: " "))
      return nil
    } catch {
      let message = error.error.message
      let wordEnd = line.wordStart + line.word.count
      guard line.verb != nil else {
        // The word may go on as long as nothing is behind it.
        guard wordEnd < characters.count else { return nil }
        return Diagnosis(line.wordStart..<wordEnd, message)
      }
      guard line.verb != .send, line.verb != .auth, !message.contains(" is missing") else {
        return nil
      }
      let reason = message.firstRange(of: "; the form is").map { String(message[..<$0.lowerBound]) }
      let parts = message.split(separator: "\"", omittingEmptySubsequences: false)
      guard parts.count > 2, let found = lastPlace(of: Array(parts[1]), in: characters),
        found.lowerBound >= wordEnd, found.upperBound < characters.count
      else { return nil }
      return Diagnosis(found, reason ?? message)
    }
  }

  private static func lastPlace(of part: [Character], in line: [Character]) -> Range<Int>? {
    guard !part.isEmpty, part.count <= line.count else { return nil }
    let place = (0...(line.count - part.count)).last { start in
      line[start..<(start + part.count)].elementsEqual(part)
    }
    return place.map { $0..<($0 + part.count) }
  }
}
