// What `Scenarios.swift` is compiled against here; the other target compiles the same file.
@_exported import FlowCore
