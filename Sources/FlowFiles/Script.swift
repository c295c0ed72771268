internal import FlowLanguage

/// Some files, read with all that they include, as statements in their order.
public struct Script: Sendable {
  /// A statement and the file that it stands in.
  public struct Step: Sendable {
    public let file: FlowFile
    public let statement: FlowFile.Statement
  }

  /// The files in the order of reading.
  public private(set) var files: [FlowFile] = []
  public private(set) var steps: [Step] = []
  /// What is wrong with the cutting and including.
  public private(set) var findings: [Finding] = []

  /// Whether a file is missing, so that names may stand for what nobody has read.
  public private(set) var isIncomplete = false

  /// Its first file alone: what stands in others may define any name.
  public var firstFile: Script {
    var part = self
    part.isIncomplete = true
    part.findings = files.first?.findings ?? []
    return part
  }

  /// How deep files may include one another.
  public static let deepest = 16

  /// Reads the files at `paths` by `read`; a path in an `include` is relative to its file.
  ///
  /// A file is read once, whoever names it.
  /// - Throws: what `read` throws for one of `paths`; for an included one that is a finding.
  public init<Failure: Error>(
    _ paths: [String],
    read: (String) throws(Failure) -> String
  ) throws(Failure) {
    for path in paths {
      // So that an include of the same file finds it again.
      let path = Self.resolve(path, in: "")
      guard !files.contains(where: { $0.name == path }) else { continue }
      add(FlowFile(try read(path), name: path), within: [path], read: read)
    }
  }

  /// Takes a text as the file called `name`; an `include` in it finds nothing.
  public init(_ text: String, name: String) {
    add(FlowFile(text, name: name), within: [name]) { path throws(Unreadable) in
      throw Unreadable(path: path)
    }
  }

  private struct Unreadable: Error, CustomStringConvertible {
    let path: String

    var description: String { "cannot read \(path): this text is not a file" }
  }

  private mutating func add<Failure: Error>(
    _ file: FlowFile,
    within paths: [String],
    read: (String) throws(Failure) -> String
  ) {
    files.append(file)
    findings += file.findings
    for statement in file.statements {
      guard case .include(let path) = statement.kind else {
        steps.append(Step(file: file, statement: statement))
        continue
      }
      include(Self.resolve(path, in: file.name), statement, of: file, within: paths, read: read)
    }
  }

  private mutating func include<Failure: Error>(
    _ path: String,
    _ statement: FlowFile.Statement,
    of file: FlowFile,
    within paths: [String],
    read: (String) throws(Failure) -> String
  ) {
    func refuse(_ message: String) {
      let length = statement.line.text.count
      let line = statement.line
      findings.append(file.finding(.error, message, in: line, at: 0, length: length))
    }
    if let start = paths.firstIndex(of: path) {
      let circle = (paths[start...] + [path]).joined(separator: " → ")
      return refuse("the files include one another: \(circle)")
    }
    guard !files.contains(where: { $0.name == path }) else { return }
    guard paths.count <= Self.deepest else {
      isIncomplete = true
      return refuse("include is nested more than \(Self.deepest) deep")
    }
    do throws(Failure) {
      add(FlowFile(try read(path), name: path), within: paths + [path], read: read)
    } catch {
      isIncomplete = true
      refuse("\(error)")
    }
  }

  /// A path as seen from the file that names it, without `.` and, where possible, `..`.
  static func resolve(_ path: String, in file: String) -> String {
    let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    let whole = path.hasPrefix("/") ? path : folder + path
    var parts: [Substring] = []
    for part in whole.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return parts.isEmpty ? path : (whole.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
