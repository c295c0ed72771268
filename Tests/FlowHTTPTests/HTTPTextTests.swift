import FlowHTTP
import Testing

@Suite("HTTPText")
struct HTTPTextTests {
  @Test("decodes percent signs")
  func percent() {
    #expect(HTTPText.percentDecode("a%20b%2f%C3%A9~%25+".utf8) == "a b/é~%+")
    #expect(HTTPText.percentDecode("a+b".utf8, plusIsSpace: true) == "a b")
    for wrong in ["%", "%1", "%1g", "%00", "%FF", "%ED%A0%80"] {
      #expect(HTTPText.percentDecode(wrong.utf8) == nil)
    }
  }

  @Test("escapes what HTML gives a meaning")
  func html() {
    #expect(HTTPText.escapeHTML("<a b=\"c\">'&é") == "&lt;a b=&quot;c&quot;&gt;&#39;&amp;é")
  }

  /// RFC 4648, section 10.
  @Test(
    "encodes Base64",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
      ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"), ("~~?é", "fn4/w6k="),
    ]
  )
  func base64(_ text: String, _ encoded: String) {
    #expect(HTTPText.base64Encode(Array(text.utf8)) == encoded)
  }

  /// FIPS 180, and lengths around the size of a block, as sha1sum has them.
  @Test(
    "hashes",
    arguments: [
      ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
      ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
      ),
      (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
      (String(repeating: "a", count: 56), "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
      (String(repeating: "a", count: 63), "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
      (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
      (String(repeating: "a", count: 119), "ee971065aaa017e0632a8ca6c77bb3bf8b1dfc56"),
      (String(repeating: "a", count: 120), "f34c1488385346a55709ba056ddd08280dd4c6d6"),
      (String(repeating: "a", count: 100_000), "c4d4b30851182fc4eb8675494d42fd7f17e29c93"),
    ]
  )
  func sha1(_ text: String, _ hash: String) {
    let digits = SHA1.hash(Array(text.utf8)).map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    #expect(digits.joined() == hash)
  }
}
