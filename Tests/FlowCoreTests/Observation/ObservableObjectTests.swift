import FlowCore
import Testing

@Suite("ObservableObject")
struct ObservableObjectTests {
  class Account: ObservableObject {
    @Published var balance = 0
    var note = "" { willSet { objectWillChange.send() } }
  }

  final class Named<Name>: Account, CustomReflectable {
    @Published var name: Name

    init(_ name: Name) { self.name = name }

    var customMirror: Mirror { Mirror(self, children: []) }
  }

  final class Plain: ObservableObject {
    var value = 0 { willSet { objectWillChange.send() } }
  }

  @Test("tells before a published property changes, its own or inherited, or one told by hand")
  func tells() {
    let account = Named("a")
    var seen: [String] = []
    let subscription = account.objectWillChange.sink {
      seen.append("\(account.balance) \(account.name) \(account.note)")
    }
    account.balance = 1
    account.name = "b"
    account.note = "c"
    #expect(seen == ["0 a ", "1 a ", "1 b "])
    subscription.cancel()
    account.balance = 2
    #expect(seen.count == 3)
  }

  @Test("has one publisher, with and without published properties")
  func onePublisher() {
    let (account, plain) = (Account(), Plain())
    let (first, second) = (account.objectWillChange, plain.objectWillChange)
    #expect(account.objectWillChange === first)
    #expect(plain.objectWillChange === second)
    #expect(first !== second)
  }

  @Test("tells without published properties, as long as somebody listens")
  func plain() {
    let object = Plain()
    var count = 0
    let subscription = object.objectWillChange.sink { count += 1 }
    object.value = 1
    object.value = 2
    #expect(count == 2)
    subscription.cancel()
  }

  @Test("tells nobody of another object that lies where one has been")
  func addresses() {
    var count = 0
    for _ in 0..<1000 {
      let object = Plain()
      let subscription = object.objectWillChange.sink { count += 1 }
      object.value = 1
      subscription.cancel()
    }
    #expect(count == 1000)
  }

  @Test("is not held by its publisher, nor are subscribers by anything after it")
  func released() {
    final class Witness {}
    weak var object: Account?
    weak var witness: Witness?
    do {
      let account = Account()
      let held = Witness()
      (object, witness) = (account, held)
      let subscription = account.objectWillChange.sink { _ = held }
      account.balance = 1
      subscription.cancel()
    }
    #expect(object == nil)
    #expect(witness == nil)
  }
}
