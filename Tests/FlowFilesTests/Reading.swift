import FlowFiles
import FlowLanguage

/// A file that the test has not got.
struct Missing: Error, CustomStringConvertible {
  let path: String
  var description: String { "cannot read \(path): no such file" }
}

/// Reads a text as the file `shop.flow`, with others beside it.
func definitions(_ text: String, _ others: [String: String] = [:]) throws -> Definitions {
  let files = others.merging(["shop.flow": text]) { $1 }
  return Definitions(
    try Script(["shop.flow"]) { path throws(Missing) in
      guard let text = files[path] else { throw Missing(path: path) }
      return text
    }
  )
}

/// The headlines of what is wrong with a text.
func errors(_ text: String, _ others: [String: String] = [:]) throws -> [String] {
  try definitions(text, others).errors.map { finding in
    String(finding.headline.replacing("shop.flow:", with: "").replacing(" error:", with: ""))
  }
}
