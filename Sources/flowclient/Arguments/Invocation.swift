struct Invocation {
  var server = ServerPlace.usual
  /// Whether the command line or environment names the server.
  var namesServer = false
  var tokenFile: String?
  /// The output form, one of the `forms` of the command; nil is text.
  var output: String?
  var isQuiet = false
  var isVerbose = false
  var traces = false
  var color = ColorChoice.auto
  var wantsHelp = false
  var wantsVersion = false
  var command: any ClientCommand = ConverseRequest()
}

enum ColorChoice: String, CaseIterable {
  case auto, always, never
}
