// What `Scenarios.swift` is compiled against here; the other target compiles the same file.
import Dispatch
@_exported import OpenCombine
import OpenCombineDispatch

func scheduler(_ queue: DispatchQueue) -> DispatchQueue.OCombine { queue.ocombine }
