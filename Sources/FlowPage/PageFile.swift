private import CPage

/// A file of the live page, as it is served.
public struct PageFile: Sendable {
  /// Where it is found: `/page.css`.
  public let path: String
  /// What it is, for `Content-Type`.
  public let type: String
  /// Its bytes.
  public let bytes: [UInt8]

  /// All of them.
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
