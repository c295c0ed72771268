import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("SHA-256")
struct SHA256Tests {
  @Test(
    "is that of FIPS 180-4",
    arguments: [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
      ),
      (
        "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
          + "lmnopqrsmnopqrstnopqrstu",
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
      ),
      // Around the ends of blocks; these are what sha256sum prints.
      (
        String(repeating: "a", count: 55),
        "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"
      ),
      (
        String(repeating: "a", count: 56),
        "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"
      ),
      (
        String(repeating: "a", count: 64),
        "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"
      ),
    ]
  )
  func digests(_ text: String, _ digest: String) {
    let computed = SHA256(of: text.utf8)
    #expect(computed.hexadecimal == digest)
    #expect(SHA256(hexadecimal: digest) == computed)
    #expect(SHA256(hexadecimal: digest.uppercased())?.isSame(as: computed) == true)
  }

  /// In release FIPS 180-4 has its digest; in debug it is an eighth as long, and `sha256sum` has it.
  @Test("is right for a long text")
  func longText() {
    let count = RandomCases.count(1_000_000)
    let digest =
      count == 1_000_000
      ? "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      : "b9f182250d7ff0332dce2e126592d25e4501a2e7b886cb3d5ed0a33530091897"
    #expect(SHA256(of: String(repeating: "a", count: count).utf8).hexadecimal == digest)
  }

  @Test(
    "is read of 64 digits only",
    arguments: ["", "ab", String(repeating: "0", count: 63), String(repeating: "g", count: 64)]
  )
  func refused(_ text: String) { #expect(SHA256(hexadecimal: text) == nil) }

  @Test("tells those apart that differ in one bit")
  func differences() {
    let digits = String(repeating: "0", count: 63)
    for place in 0..<64 {
      var other = Array(digits + "0")
      other[place] = "1"
      let one = SHA256(hexadecimal: digits + "0")
      let two = SHA256(hexadecimal: String(other))
      #expect(one.flatMap { one in two.map { one.isSame(as: $0) } } == false)
    }
  }
}
