// A merge takes several more publishers without becoming a merge of merges.

extension Publishers.Merge {
  /// Merges two more publishers.
  @inlinable
  public func merge<C: Publisher, D: Publisher>(with c: C, _ d: D) -> Publishers.Merge4<A, B, C, D>
  {
    Publishers.Merge4(a, b, c, d)
  }

  /// Merges three more publishers.
  @inlinable
  public func merge<C: Publisher, D: Publisher, E: Publisher>(with c: C, _ d: D, _ e: E)
    -> Publishers.Merge5<A, B, C, D, E>
  {
    Publishers.Merge5(a, b, c, d, e)
  }

  /// Merges four more publishers.
  @inlinable
  public func merge<C: Publisher, D: Publisher, E: Publisher, F: Publisher>(
    with c: C,
    _ d: D,
    _ e: E,
    _ f: F
  ) -> Publishers.Merge6<A, B, C, D, E, F> {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  /// Merges five more publishers.
  @inlinable
  public func merge<C: Publisher, D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
    with c: C,
    _ d: D,
    _ e: E,
    _ f: F,
    _ g: G
  ) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  /// Merges six more publishers.
  @inlinable
  public func merge<
    C: Publisher,
    D: Publisher,
    E: Publisher,
    F: Publisher,
    G: Publisher,
    H: Publisher
  >(with c: C, _ d: D, _ e: E, _ f: F, _ g: G, _ h: H) -> Publishers.Merge8<A, B, C, D, E, F, G, H>
  {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge3 {
  /// Merges two more publishers.
  @inlinable
  public func merge<D: Publisher, E: Publisher>(with d: D, _ e: E)
    -> Publishers.Merge5<A, B, C, D, E>
  {
    Publishers.Merge5(a, b, c, d, e)
  }

  /// Merges three more publishers.
  @inlinable
  public func merge<D: Publisher, E: Publisher, F: Publisher>(with d: D, _ e: E, _ f: F)
    -> Publishers.Merge6<A, B, C, D, E, F>
  {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  /// Merges four more publishers.
  @inlinable
  public func merge<D: Publisher, E: Publisher, F: Publisher, G: Publisher>(
    with d: D,
    _ e: E,
    _ f: F,
    _ g: G
  ) -> Publishers.Merge7<A, B, C, D, E, F, G> {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  /// Merges five more publishers.
  @inlinable
  public func merge<D: Publisher, E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
    with d: D,
    _ e: E,
    _ f: F,
    _ g: G,
    _ h: H
  ) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge4 {
  /// Merges two more publishers.
  @inlinable
  public func merge<E: Publisher, F: Publisher>(with e: E, _ f: F)
    -> Publishers.Merge6<A, B, C, D, E, F>
  {
    Publishers.Merge6(a, b, c, d, e, f)
  }

  /// Merges three more publishers.
  @inlinable
  public func merge<E: Publisher, F: Publisher, G: Publisher>(with e: E, _ f: F, _ g: G)
    -> Publishers.Merge7<A, B, C, D, E, F, G>
  {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  /// Merges four more publishers.
  @inlinable
  public func merge<E: Publisher, F: Publisher, G: Publisher, H: Publisher>(
    with e: E,
    _ f: F,
    _ g: G,
    _ h: H
  ) -> Publishers.Merge8<A, B, C, D, E, F, G, H> {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge5 {
  /// Merges two more publishers.
  @inlinable
  public func merge<F: Publisher, G: Publisher>(with f: F, _ g: G)
    -> Publishers.Merge7<A, B, C, D, E, F, G>
  {
    Publishers.Merge7(a, b, c, d, e, f, g)
  }

  /// Merges three more publishers.
  @inlinable
  public func merge<F: Publisher, G: Publisher, H: Publisher>(with f: F, _ g: G, _ h: H)
    -> Publishers.Merge8<A, B, C, D, E, F, G, H>
  {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}

extension Publishers.Merge6 {
  /// Merges two more publishers.
  @inlinable
  public func merge<G: Publisher, H: Publisher>(with g: G, _ h: H)
    -> Publishers.Merge8<A, B, C, D, E, F, G, H>
  {
    Publishers.Merge8(a, b, c, d, e, f, g, h)
  }
}
