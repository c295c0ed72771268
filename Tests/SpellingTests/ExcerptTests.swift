import Spelling
import Testing

@Suite("Excerpts in messages")
struct ExcerptTests {
  @Test("has at most the limit of characters, and an ellipsis if there are more")
  func limit() {
    #expect("".excerpt() == "")
    #expect("abc".excerpt(3) == "abc")
    #expect("abcd".excerpt(3) == "ab…")
    #expect("äöüß"[...].excerpt(3) == "äö…")
    #expect("a".excerpt(1) == "a" && "ab".excerpt(1) == "…")
    let long = String(repeating: "x", count: 15_000)
    #expect(long.excerpt() == String(repeating: "x", count: 79) + "…")
  }
}
