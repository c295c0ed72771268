import FlowNATS
import Foundation
import Testing

@Suite("Base64")
struct Base64Tests {
  @Test("reads what JetStream writes", arguments: 0..<20)
  func decodes(_ count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ 200) }
    #expect(Base64.decode(Data(bytes).base64EncodedString()) == bytes)
  }

  @Test("takes nothing else", arguments: ["é", "a b", "{}", "-_"])
  func refuses(_ text: String) { #expect(Base64.decode(text) == nil) }
}
