/// What `KILL` ends.
public enum Victim: Hashable, Sendable {
  /// A connection, by its number in `LIST clients`.
  case client(Int)
  /// A stream of the connection with that number.
  case stream(client: Int, StreamID)
  /// All that is open on a name.
  case name(String)
}
