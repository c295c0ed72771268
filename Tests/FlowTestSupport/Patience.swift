/// How long a test waits for what comes at once, before it says that it never came.
///
/// Long, since a machine may be busy with other things; only what is broken waits so long.
public enum Patience {
  public static let seconds = 120
}
