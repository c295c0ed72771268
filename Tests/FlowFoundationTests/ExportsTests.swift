import FlowCore
import FlowFoundation
import Testing

// What Apple's `import Foundation` brings: were another import needed here, this would not compile.
@Suite("import FlowFoundation")
struct ExportsTests {
  final class Account: ObservableObject {
    @Published var name = ""
  }

  @Test("brings Foundation and networking, and names observable objects without ambiguity")
  func types() throws {
    let url = try #require(URL(string: "http://localhost"))
    let publisher: URLSession.DataTaskPublisher = URLSession.shared.dataTaskPublisher(for: url)
    #expect(publisher.request == URLRequest(url: url))
    #expect(URLError.Code.timedOut != .cancelled)

    let account = Account()
    account.name = "a"
    #expect(account.name == "a")
  }
}
