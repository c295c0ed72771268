// On Linux the types of URLSession live in a module of their own. What a program sees with Apple's
// `import Foundation` it sees with `import FlowFoundation`, so it needs no import for Linux alone.
@_exported public import Foundation
@_exported public import FoundationNetworking
public import FlowCore

/// A property that publishes its changes, as `FlowCore` has it; Apple's Foundation names it, too.
public typealias Published = FlowCore.Published

/// An object that publishes before it changes, as `FlowCore` has it; Apple's Foundation names it, too.
public typealias ObservableObject = FlowCore.ObservableObject
