import FlowCore
import FlowFoundation
import Foundation
import Testing

@Suite("Coders")
struct CoderTests {
  struct Order: Codable, Equatable {
    var item: String
    var count: Int
  }

  @Test("JSON and property lists go through encode and decode")
  func roundTrip() throws {
    let order = Order(item: "tea", count: 2)
    var seen: [Order] = []
    _ = Just(order)
      .encode(encoder: JSONEncoder())
      .decode(type: Order.self, decoder: JSONDecoder())
      .encode(encoder: PropertyListEncoder())
      .decode(type: Order.self, decoder: PropertyListDecoder())
      .sink(receiveCompletion: { _ in }, receiveValue: { seen.append($0) })
    #expect(seen == [order])
  }

  @Test("what cannot be decoded fails")
  func failure() {
    var failed = false
    _ = Just(Data("{".utf8))
      .decode(type: Order.self, decoder: JSONDecoder())
      .sink(
        receiveCompletion: { if case .failure(is DecodingError) = $0 { failed = true } },
        receiveValue: { _ in }
      )
    #expect(failed)
  }
}
