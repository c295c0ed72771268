internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

// The input and output of the transitions.
extension OutboxState {
  /// Facts about the subject and its stream at the time of a transition.
  struct Surroundings {
    /// In nanoseconds since the server started.
    var now: Int64
    /// The settings of the stream, while it can be reached.
    var stream: StreamSettings?
    /// Whether the stream takes values.
    var takesValues: Bool
    /// The number of values that may be stored now.
    var room: Int
    /// The place of the last value that is known to be stored.
    var newest: UInt64
    /// The size in bytes of the longest value that NATS takes; smaller after a restart with a smaller `max_payload`.
    var longestValue: Int
    /// The start of this process's message ids.
    var epoch: String

    func fits(_ value: OutboxValue) -> Bool { value.bytes.count <= longestValue }
  }

  struct Message {
    let values: [OutboxValue]
    let names: (first: String, batch: String)
    /// The end of the values' own ids.
    let mark: String
  }

  /// What became of values of one sender.
  struct Outcome {
    enum Fate: Equatable {
      /// The last of the values is at this place, if that is known.
      case stored(at: UInt64?)
      case notStored(ErrorCode)
    }

    let sender: any ValueSender
    let count: Int
    let fate: Fate
  }

  enum Step {
    case publish(Message)
    case search(OutboxBatch, count: Int)
    /// Reports `timeIsUp` after `nanoseconds`.
    case wait(nanoseconds: Int64)
    /// Reports `silenceIsOver` after `nanoseconds`.
    case watchSilence(nanoseconds: Int64)
    case count(PublishAnswer)
    /// All values up to this place are stored.
    case recordStored(UInt64)
    /// Notifies the senders of a batch that was settled `nanoseconds` after it was taken from the queue.
    case settle(stored: Int, nanoseconds: Int64, [Outcome])
    case notify([Outcome])
    /// Notifies the senders of everything that was given up, then calls `forgetStorage`.
    case giveUp([Outcome])
    case checkStream
    case lookForRoom
    case reportNoStorage(JetStreamError)
    case writeEnd
    case giveUpEnd
    case scheduleEndOfTurn
  }
}
