/// A file of the live page, as it is served.
public struct PageFile: Sendable {
  /// Where it is found: `/page.css`.
  public let path: String
  /// What it is, for `Content-Type`.
  public let type: String
  /// Its bytes.
  public let bytes: [UInt8]

  /// All of them.
  public static let all = [
    PageFile(path: "/", type: "text/html; charset=utf-8", bytes: PackageResources.index_html),
    PageFile(path: "/page.css", type: "text/css; charset=utf-8", bytes: PackageResources.page_css),
    PageFile(
      path: "/page.js",
      type: "text/javascript; charset=utf-8",
      bytes: PackageResources.page_js
    ),
    PageFile(
      path: "/flow.js",
      type: "text/javascript; charset=utf-8",
      bytes: PackageResources.flow_js
    ),
  ]
}
