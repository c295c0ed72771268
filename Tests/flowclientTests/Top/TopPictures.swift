@testable import flowclient

/// Pictures of a server that is not there.
enum TopPictures {
  /// Texts that would draw, move the cursor or break a line, if they were let.
  static let hostile = "\u{1b}[2J\u{9b}31m注文\t\u{202e}e\u{301}\n\u{7}😀"

  private static let hostileJSON = #"\u001b[2J\u009b31m注文\t\u202ee\u0301\n\u0007😀"#

  /// Calls of a client that wait for a service without a worker.
  static let unserved =
    #""unserved":[{"service":"resize","calls":2,"text":"resize has no worker: 2 calls of client 4 "#
    + #"(\#(hostileJSON)) wait for one.","hint":"flowclient serve resize -- COMMAND starts one.","own":true}],"#

  /// What a server answers to WATCH, so many milliseconds after it began.
  static func rows(
    at: Int,
    count: Int = 3,
    isJudged: Bool = true,
    stream: String? = nil,
    unserved: String = ""
  ) -> [String] {
    let names = (0..<count).map { #"{"name":"n\#($0)","kind":"pipeline","stages":3}"# }
    let topology =
      #"{"server":{"version":"0.1.0","started":1},"changes":7,"total":\#(count + 2),"names":["#
      + #"{"name":"slow","kind":"pipeline","stages":3},{"name":"taps","kind":"subject","stages":1},"#
      + names.joined(separator: ",")
      + #"],"watched":{"name":"slow","kind":"pipeline","stages":["#
      + #"{"text":"taps \#(hostileJSON)","op":"subject"},"#
      + #"{"text":"buffer(size: 20, prefetch: .keepFull, whenFull: .dropNewest)","op":"buffer","holds":20},"#
      + #"{"text":"flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 0.04) }","op":"flatMap","holds":null,"publishers":3}]}}"#
    let all = (0..<count).map {
      #""n\#($0)":["well","","sws",\#(at * 1000),0,1,\#(at * 1000),[1000000,1000000,0]]"#
    }
    let sample =
      #"{"at":\#(at),\#(isJudged ? "" : #""judged":false,"#)"#
      + #""server":{"connections":12,"streams":9,"busy":0.061,"in":\#(at * 3),"out":\#(at)},\#(unserved)"#
      + #""all":{"slow":["stage","flatMap","sbw",\#(at * 2),\#(at / 2),2,\#(at * 3),[3000,2000,500]],"#
      + #""taps":["elsewhere","client 7 (\#(hostileJSON))","b",5,0,2,5,[0,0,0]],"#
      + all.joined(separator: ",")
      + #"},"watched":{"name":"slow",\#(stream.map { #""stream":"\#($0)","# } ?? "")"#
      + #""verdict":{"code":"stage","text":"Loses 500/s at buffer, "#
      + #"held up by flatMap: all of its 3 publishers are busy.","hint":"More publishers at once "#
      + #"would help, or fewer values.","stage":2,"lost":500,"at":1,"lasted":12340},"stages":["#
      + #"{"in":\#(at * 3),"out":\#(at * 3),"dropped":0,"asked":"max","held":0,"most":0,"waiting":7,"time":[\#(at),0,0],"rates":[3000,3000,0]},"#
      + #"{"in":\#(at * 3),"out":\#(at * 2),"dropped":\#(at / 2),"asked":0,"held":18,"most":20,"time":[\#(at / 10),0,\#(at)],"rates":[3000,2000,500]},"#
      + #"{"in":\#(at * 2),"out":\#(at * 2),"dropped":0,"asked":16384,"held":3,"most":3,"publishers":3,"time":[0,\#(at),0],"rates":[2000,2000,0]}],"#
      + #""delivery":{"count":99,"p50":40,"p99":1250},"subscribers":{"count":2,"stalled":1,"rows":["#
      + #"{"client":7,"id":1,"label":"client 7 (\#(hostileJSON))","asked":0,"values":5120,"missed":3857,"stalled":12040,"unread":true},"#
      + #"{"client":9,"id":4,"label":"client 9","asked":"max","values":123456,"missed":0,"stalled":null}]}}}"#
    // As a server cuts what is long.
    return pieces("topology", topology) + pieces("sample", sample)
  }

  private static func pieces(_ word: String, _ text: String) -> [String] {
    var rest = text[...]
    var rows: [String] = []
    while !rest.isEmpty {
      rows.append("\(word) \(rest.prefix(1000))")
      rest = rest.dropFirst(1000)
    }
    return rows
  }

  /// What two samples tell, two seconds apart.
  static func picture(count: Int = 3, stream: String? = nil, unserved: String = "") -> TopPicture {
    var picture = TopPicture()
    for at in [10_000, 12_000] {
      let rows = rows(at: at, count: count, stream: stream, unserved: unserved)
      if let answer = WatchAnswer(rows: rows) {
        picture.add(answer)
      }
    }
    return picture
  }
}
