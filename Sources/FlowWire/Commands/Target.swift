/// Which stream or subject a command is about.
public enum Target: Hashable, Sendable {
  /// A stream of this connection.
  case stream(StreamID)
  /// A subject, or the one stream that is on this name.
  case name(String)
}
