/// The version that programs, libraries and the greeting report.
///
/// CONTRIBUTING.md says when and how it changes.
public let flowVersion = "0.1.0"
