import FlowLanguage

/// Takes values back out of the objects that `-o json` puts them into.
struct JSONRecords {
  private let member: ValueClosure
  private var number = 0

  init() throws(ClientError) {
    do throws(Diagnostic) {
      member = try ValueClosure(#"{ $0.keys.contains("value") ? $0.value : fail("no value") }"#)
    } catch {
      throw ClientError(.bug, error.text)
    }
  }

  /// The values of whole lines, one a line again.
  mutating func values(of lines: UnsafeRawBufferPointer) throws(ClientError) -> [UInt8] {
    var values: [UInt8] = []
    let lines = unsafe lines.split(separator: 10, omittingEmptySubsequences: false).dropLast()
    for index in unsafe lines.indices {
      let line = unsafe lines[index]
      number += 1
      do throws(PipelineFailure) {
        let value = unsafe try member(Value(bytes: UnsafeRawBufferPointer(rebasing: line)))
        unsafe value.withBytes { unsafe values.append(contentsOf: $0) }
      } catch {
        let shown = unsafe String(decoding: line.prefix(60), as: UTF8.self)
        throw ClientError(
          .badInput,
          "line \(number) is not an object with a \"value\": \(shown)",
          advice: "--format json reads the output of flowclient sub -o json"
        )
      }
      values.append(10)
    }
    return values
  }
}
