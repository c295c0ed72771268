import Glibc

extension EventLoop {
  /// Raises this process's soft limit of open descriptors to the hard limit; returns it.
  @discardableResult
  public static func raiseDescriptorLimit() -> Int {
    let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    guard unsafe getrlimit(descriptors, &limit) == 0 else { return 0 }
    var raised = limit
    raised.rlim_cur = raised.rlim_max
    if unsafe setrlimit(descriptors, &raised) == 0 { limit = raised }
    return Int(clamping: limit.rlim_cur)
  }
}
