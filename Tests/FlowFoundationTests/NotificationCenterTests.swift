import FlowCore
import FlowFoundation
import Foundation
import Testing

@Suite("NotificationCenter.publisher")
struct NotificationCenterTests {
  final class Sender {}

  let center = NotificationCenter()
  let name = Notification.Name("opened")

  @Test("publishes the notifications with the name, from the object")
  func filters() {
    let sender = Sender()
    var all = 0
    var some = 0
    let first = center.publisher(for: name).sink { _ in all += 1 }
    let second = center.publisher(for: name, object: sender).sink { _ in some += 1 }
    center.post(name: name, object: nil)
    center.post(name: name, object: sender)
    center.post(name: Notification.Name("closed"), object: sender)
    #expect(all == 2)
    #expect(some == 1)
    first.cancel()
    center.post(name: name, object: sender)
    #expect(all == 2)
    #expect(some == 2)
    second.cancel()
  }

  @Test("leaves out what is not asked for, also while one is delivered")
  func demand() {
    var seen = 0
    var link: (any Subscription)?
    let subscriber = AnySubscriber<Notification, Never>(
      receiveSubscription: { link = $0 },
      receiveValue: { [center, name] _ in
        seen += 1
        if seen == 2 { center.post(name: name, object: nil) }
        return .none
      }
    )
    center.publisher(for: name).subscribe(subscriber)
    center.post(name: name, object: nil)
    link?.request(.none)
    link?.request(.max(2))
    for _ in 0..<4 { center.post(name: name, object: nil) }
    #expect(seen == 2)
    #expect(link.map { "\($0)" } == "NotificationCenter Observer")
    link?.cancel()
    link?.cancel()
  }

  @Test("lets everything go when it is cancelled, or nobody holds its subscription")
  func released() {
    weak var released: Sender?
    for cancels in [true, false] {
      do {
        let sender = Sender()
        released = sender
        var link: (any Subscription)?
        let subscriber = AnySubscriber<Notification, Never>(
          receiveSubscription: { link = $0 },
          receiveValue: { _ in
            _ = sender
            return .none
          }
        )
        center.publisher(for: name, object: sender).subscribe(subscriber)
        link?.request(.unlimited)
        if cancels { link?.cancel() }
        link = nil
      }
      center.post(name: name, object: nil)
      #expect(released == nil)
    }
  }

  @Test("is equal to another for the same center, name and object")
  func equality() {
    let sender = Sender()
    #expect(center.publisher(for: name) == center.publisher(for: name))
    #expect(center.publisher(for: name) != center.publisher(for: name, object: sender))
    #expect(center.publisher(for: name) != NotificationCenter().publisher(for: name))
  }
}
