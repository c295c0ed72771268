/// A sentence about all names: the worst one, and how many have problems.
struct TopVerdict {
  let worst: TopPicture.NameRow?
  let heldUp: Int
  let code: String
  let text: String

  let isWell: Bool

  init(of picture: TopPicture) {
    let rows = picture.names(by: .verdict)
    let heldUp = rows.filter(\.isHeldUp)
    self.heldUp = heldUp.count
    worst = heldUp.first
    let unserved = picture.sample?.unserved.first
    isWell = heldUp.isEmpty && unserved == nil
    guard let worst else {
      if let unserved {
        code = "stage"
        text = unserved.text
        return
      }
      let count = rows.count { $0.sample.code == "well" }
      code = count > 0 ? "well" : "quiet"
      text =
        count > 0
        ? "All is well: \(Figure.number(count, of: "name")) at work, none held up"
        : "Quiet: no values come"
      return
    }
    code = worst.sample.code
    let others = heldUp.count - 1
    let more = others == 0 ? "" : "; \(Figure.number(others, of: "other name")) held up as well"
    text = "\(worst.name): \(Self.sentence(worst))\(more)"
  }

  private static func sentence(_ row: TopPicture.NameRow) -> String {
    let lost = row.lost ?? 0
    let verb = row.sample.code == "leaves-out" ? "leaves out" : "loses"
    let loss = lost > 0 ? "\(verb) \(TopFigure.rate(lost))/s" : ""
    let cause =
      switch row.sample.code {
      case "leaves-out": "at \(row.culprit)"
      case "stage" where !row.sample.who.isEmpty: "held up by its \(row.culprit)"
      case "client", "stage", "elsewhere": "held up by \(row.culprit)"
      case "busy": "the server is busy"
      case "failed": "failed"
      default: ""
      }
    return [loss, cause].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
