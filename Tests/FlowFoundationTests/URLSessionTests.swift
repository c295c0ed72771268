import FlowCore
import FlowFoundation
import Foundation
import FoundationNetworking
import Testing

@Suite("URLSession.dataTaskPublisher", .timeLimit(.minutes(10)))
struct URLSessionTests {
  private let session: URLSession
  private let url: URL

  init() throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Echo.self]
    session = URLSession(configuration: configuration)
    url = try #require(URL(string: "echo://host/hello"))
  }

  @Test("publishes data and response, for each subscription anew")
  func success() async throws {
    let publisher = session.dataTaskPublisher(for: url)
    for _ in 0..<2 {
      var values: [String] = []
      for try await (data, response) in publisher.values {
        values.append(String(decoding: data, as: UTF8.self))
        #expect(response.url == url)
      }
      #expect(values == ["/hello"])
    }
  }

  @Test("fails with the error of the session")
  func failure() async throws {
    let broken = try #require(URL(string: "echo://host/broken"))
    let publisher = session.dataTaskPublisher(for: URLRequest(url: broken))
    #expect(publisher.request.url == broken)
    await #expect(throws: URLError.self) {
      for try await value in publisher.map(\.data).values { _ = value }
    }
  }

  @Test("says nothing after it is cancelled")
  func cancelled() async throws {
    let silent = try #require(URL(string: "echo://host/silent"))
    var isCalled = false
    session.dataTaskPublisher(for: silent)
      .sink(receiveCompletion: { _ in isCalled = true }, receiveValue: { _ in isCalled = true })
      .cancel()
    for try await _ in session.dataTaskPublisher(for: url).values {}
    #expect(!isCalled)
  }

  /// Answers with the path.
  private final class Echo: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "echo" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      guard let url = request.url, url.path != "/silent" else { return }
      guard url.path != "/broken" else {
        client?.urlProtocol(self, didFailWithError: URLError(.networkConnectionLost))
        return
      }
      let response = URLResponse(
        url: url,
        mimeType: nil,
        expectedContentLength: -1,
        textEncodingName: nil
      )
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data(url.path.utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }
}
