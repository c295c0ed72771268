/// Why a journal cannot do something.
package struct JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Code: Sendable {
    /// A write or a sync failed: nothing is stored any more until the journal is opened again.
    case failed
    /// The disk is full.
    case full
    /// Another process has the journal.
    case inUse
    /// The journal has lost something that cannot be counted.
    case damaged
    /// The folder holds something else, or a version that is not known.
    case foreign
    /// A file cannot be read or made.
    case file
    case closed
  }

  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
