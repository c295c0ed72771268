/// A linked list of calls, in order; a call can leave from anywhere.
struct CallList {
  private(set) var first: Call?
  // memory 3
  @safe private unowned(unsafe) var last: Call?  // held by the one before it, or by `first`
  private(set) var count = 0

  mutating func append(_ call: Call) {
    call.previous = last
    if let last { last.next = call } else { first = call }
    last = call
    count += 1
  }

  mutating func remove(_ call: Call) {
    let next = call.next
    if let previous = call.previous { previous.next = next } else { first = next }
    if let next { next.previous = call.previous } else { last = call.previous }
    call.previous = nil
    call.next = nil
    count -= 1
  }
}
