/// The version of this package, which its programs, its libraries and the server's greeting tell.
///
/// CONTRIBUTING.md says when it changes, and how.
public let flowVersion = "0.1.0"
