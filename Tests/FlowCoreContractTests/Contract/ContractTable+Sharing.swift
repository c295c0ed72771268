import FlowCore

let sharing: [Candidate] = [
  .plain("share(replay: 1)", [.prefetches, .isShared]) { $0.share(replay: 1) },
  .plain("share(replay: 0)", [.prefetches, .isShared]) { $0.share(replay: 0) },
]
