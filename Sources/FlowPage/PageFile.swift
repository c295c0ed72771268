private import CPage

public struct PageFile: Sendable {
  /// The path of its URL: `/page.css`.
  public let path: String
  /// The value of `Content-Type`.
  public let type: String
  public let bytes: [UInt8]

  public static let all = unsafe [
    PageFile("/", "text/html; charset=utf-8", flow_index_html),
    PageFile("/page.css", "text/css; charset=utf-8", flow_page_css),
    PageFile("/page.js", "text/javascript; charset=utf-8", flow_page_js),
    PageFile("/flow.js", "text/javascript; charset=utf-8", flow_flow_js),
  ]

  private init(_ path: String, _ type: String, _ file: flow_file) {
    self.path = path
    self.type = type
    bytes = unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }
}
