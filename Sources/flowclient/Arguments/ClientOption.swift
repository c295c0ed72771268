import Programs

struct OptionName: RawRepresentable, Equatable, ExpressibleByStringLiteral {
  let rawValue: String

  init(rawValue: String) { self.rawValue = rawValue }

  init(stringLiteral name: String) { rawValue = name }
}

typealias OptionEntry = ProgramOption<OptionName>
typealias ClientOption = GivenOption<OptionName>
