import Spelling
import Testing

@Suite("isStreamSafe")
struct StreamSafeTests {
  private func marks(_ count: Int) -> String {
    String(repeating: "\u{301}\u{316}", count: count / 2)
  }

  @Test("is true of what people write")
  func safe() {
    for text in ["", "orders", "größe", "e\u{301}", "हिन्दी", "👩‍👩‍👧‍👦", "a" + marks(30) + "b" + marks(30)] {
      #expect(isStreamSafe(text.unicodeScalars))
    }
  }

  @Test("is false of more than 30 marks in a row")
  func unsafe() {
    #expect(!isStreamSafe(("a" + marks(32)).unicodeScalars))
    #expect(!isStreamSafe((marks(32) + "a").unicodeScalars))
    #expect(!isStreamSafe(("a" + marks(100_000)).unicodeScalars))
  }
}
