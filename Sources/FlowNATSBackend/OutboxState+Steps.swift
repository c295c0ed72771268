internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

extension OutboxState {
  struct Surroundings {
    /// In nanoseconds since the server started.
    var now: Int64
    /// The settings of the stream; nil while it cannot be reached.
    var stream: StreamSettings?
    var takesValues: Bool
    /// How many values may be stored now.
    var room: Int
    /// The last sequence known to be stored.
    var newest: UInt64
    /// The longest value that NATS takes; a restart with a smaller `max_payload` lowers it.
    var longestValue: Int
    /// The prefix of this process's message ids.
    var epoch: String

    func fits(_ value: OutboxValue) -> Bool { value.bytes.count <= longestValue }
  }

  struct Message {
    let values: [OutboxValue]
    let names: (first: String, batch: String)
    /// The suffix of the values' own ids.
    let mark: String
  }

  /// The outcome of consecutive values of one sender.
  struct Outcome {
    enum Fate: Equatable {
      /// Stored, the last value at `at` if that is known.
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
    /// All values up to this sequence are stored.
    case recordStored(UInt64)
    /// Notifies the senders of a batch, settled `nanoseconds` after it left the queue.
    case settle(stored: Int, nanoseconds: Int64, [Outcome])
    case notify([Outcome])
    /// Notifies the senders of all values given up, then calls `forgetStorage`.
    case giveUp([Outcome])
    case checkStream
    case lookForRoom
    case reportNoStorage(JetStreamError)
    case writeEnd
    case giveUpEnd
    case scheduleEndOfTurn
  }
}
