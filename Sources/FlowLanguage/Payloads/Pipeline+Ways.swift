extension Pipeline {
  /// Whether all that its stages read is one subject, in one way, and nothing of it leads anywhere but
  /// to its subscriber.
  ///
  /// Then nothing else on that subject can tell in which order its values go to the two.
  public var isAlone: Bool {
    subjects.count == 1 && !repeats && !names.hasOthers && shares.isEmpty
      && sharings.isEmpty && !prints
  }
}
