extension Command {
  /// The word that it begins with.
  public var verb: Verb {
    switch self {
    case .hello: .hello
    case .auth: .auth
    case .help: .help
    case .ping: .ping
    case .quit: .quit
    case .subject: .subject
    case .pipeline: .pipeline
    case .run: .run
    case .delete: .delete
    case .list: .list
    case .show: .show
    case .explain: .explain
    case .stats: .stats
    case .kill: .kill
    case .send: .send
    case .done: .done
    case .fail: .fail
    case .subscribe: .subscribe
    case .take: .take
    case .tail: .tail
    case .publish: .publish
    case .feed: .feed
    case .serve: .serve
    case .request: .request
    case .cancel: .cancel
    }
  }
}
