/// A command line, read.
struct Invocation {
  var server = ServerPlace.usual
  /// Whether the user has named the server.
  var namesServer = false
  var tokenFile: String?
  /// The form of what is printed, one of the `forms` of the command; nil: text.
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
