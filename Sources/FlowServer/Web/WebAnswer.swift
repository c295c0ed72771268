internal import FlowHTTP
internal import FlowLanguage

/// The answer to an HTTP request.
struct WebAnswer {
  var status = 200
  var type = "text/plain; charset=utf-8"
  var body: [UInt8]
  var headers: [(String, String)] = []

  init(_ status: Int, _ text: String) {
    self.status = status
    body = Array("\(text)\n".utf8)
  }

  init(type: String, _ body: [UInt8]) {
    self.type = type
    self.body = body
  }

  init(_ metrics: MetricsPage) {
    type = "text/plain; version=0.0.4; charset=utf-8"
    body = Array(metrics.text.utf8)
  }

  init(json value: Value) {
    type = "application/json"
    body = unsafe value.withBytes { unsafe Array($0) } + [0x0A]
  }

  /// Headers of all answers: only the page's own files may run, and no other page may embed it.
  static let headers: [(String, String)] = [
    ("Content-Security-Policy", policy),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
  ]

  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"

  /// The login form.
  ///
  /// It posts to the address where it is shown, so that a browser keeps the part after `#`, even
  /// after the redirect to the page.
  static func login(_ status: Int, _ message: String = "") -> WebAnswer {
    var answer = WebAnswer(
      type: "text/html; charset=utf-8",
      Array(
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8"><title>Flow</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <link rel="stylesheet" href="page.css"></head>
        <body class="login"><main id="main"><h1>Flow</h1>
        <form method="post">
        <label for="token">This server asks for a token</label>
        <input id="token" name="token" type="password" autocomplete="current-password" autofocus required>
        <button type="submit">Log in</button></form>
        <p role="alert">\(HTTPText.escapeHTML(message))</p></main></body></html>

        """.utf8
      )
    )
    answer.status = status
    // Otherwise browsers do not send the form's origin, which is checked.
    answer.headers = [
      ("WWW-Authenticate", "Bearer realm=\"Flow\""), ("Referrer-Policy", "same-origin"),
    ]
    return answer
  }
}
