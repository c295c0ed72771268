import Spelling
import Testing

@Suite("Names and patterns")
struct NamePatternTests {
  @Test(
    "a name has levels",
    arguments: [
      ("a", true), ("_", true), ("a-b_9", true), ("sensors/kitchen/temp", true), ("a/1/2", true),
      ("a/_", true), ("", false), ("1", false), ("1/a", false), ("/a", false), ("a/", false),
      ("a//b", false), ("/", false), ("a/-b", false), ("a/$b", false), ("$a", false),
      ("a/*", false), ("a.b", false), ("a b", false), ("é", false), ("a/é", false),
      (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false),
      (String(repeating: "a/", count: 63) + "a", true),
      (String(repeating: "a/", count: 64) + "a", false),
    ]
  )
  func names(_ text: String, _ isName: Bool) {
    #expect(NameGrammar.isName(text) == isName)
  }

  @Test(
    "a pattern fits",
    arguments: [
      ("*", "a b-c"), ("**", "a a/b a/b/c"), ("lab-*", "lab- lab-1"), ("*-1", "lab-1 -1 a-1-1"),
      ("a*b*c", "abc axbxc abbcc"), ("sensors/*/temp", "sensors/kitchen/temp sensors/1/temp"),
      ("sensors/**", "sensors sensors/a sensors/a/b"), ("**/temp", "temp a/temp a/b/temp"),
      ("a/**/z", "a/z a/b/z a/b/c/z a/z/z"), ("a/**/m/**/z", "a/m/z a/b/m/c/d/z a/m/m/z"),
      ("*/**", "a a/b a/b/c"), ("a/b-*/c", "a/b-/c a/b-1/c"), ("a/b", "a/b"), ("$**", "$stats"),
      ("$s*", "$stats"),
      ("a*/**", "a ab/c a/b/c"), ("a*a", "aa aba"), ("**/a/b", "a/b b/a/b a/a/b"),
      ("**/*b", "b ab a/ab"), ("**/**", "a a/b"), ("a/**/**/b", "a/b a/c/b"),
    ]
  )
  func fits(_ text: String, _ names: String) throws {
    let pattern = try #require(NamePattern(text))
    for name in names.split(separator: " ").map(String.init) {
      #expect(pattern.fits(name), "\(name)")
    }
  }

  @Test(
    "and does not fit",
    arguments: [
      ("*", "a/b"), ("lab-*", "lab lab-1/a xlab-1"), ("sensors/*", "sensors sensors/a/b"),
      ("sensors/**", "sensor sensorsx/a a/sensors"), ("a/**/z", "a a/b b/z a/z/b"),
      ("a*b", "a ab/b abc"), ("*/*", "a a/b/c"), ("a/b", "a a/bb a/b/c"), ("**/temp", "a tempo"),
      ("$**", "a a/b"), ("a*/**", "b/a"), ("a/b*/**", "a c/b"),
      ("a*a", "a a/a"), ("ab*ba", "aba"), ("**/a/b", "xa/b b"), ("a/b**/b/c", "a/b/c"), ("*", ""),
    ]
  )
  func misses(_ text: String, _ names: String) throws {
    let pattern = try #require(NamePattern(text))
    for name in names.split(separator: " ").map(String.init) {
      #expect(!pattern.fits(name), "\(name)")
    }
  }

  @Test(
    "no pattern",
    arguments: ["", "/", "a//b", "a/", "/a", "5*", "a$b", "a/$*", "$", "a.*", "a/-*", "a *"]
  )
  func noPattern(_ text: String) { #expect(NamePattern(text) == nil) }

  @Test("a long name and a pattern of many stars are compared in no time")
  func manyStars() throws {
    let level = try #require(NamePattern(String(repeating: "a*", count: 60) + "b"))
    #expect(!level.fits(String(repeating: "a", count: 128)))
    let levels = try #require(NamePattern(String(repeating: "**/a/", count: 25) + "b"))
    #expect(!levels.fits(String(repeating: "a/", count: 63) + "a"))
  }

  @Test(
    "covers what surely is a part",
    arguments: [
      ("**", "a/*", true), ("a/**", "a/*", true), ("a/**", "a/**", true), ("a/**", "a/b/**", true),
      ("a/**", "a", true), ("a/*", "a/**", false), ("a/*", "a/*", true), ("a/*", "a/b", true),
      ("a/**", "**", false), ("lab-*", "lab-1", true), ("*", "**", false),
    ]
  )
  func covers(_ text: String, _ other: String, _ isCovered: Bool) throws {
    let (pattern, other) = (try #require(NamePattern(text)), try #require(NamePattern(other)))
    #expect(pattern.covers(other) == isCovered)
  }

  @Test(
    "says what is expected instead",
    arguments: [
      ("a/*", "one name; SUB, LIST and STATS take patterns"),
      ("a//b", "a name without empty levels, such as a/b"), ("5", NameGrammar.text),
      ("//", NameGrammar.text), ("a/b.c", NameGrammar.text),
    ]
  )
  func expected(_ text: String, _ instead: String) {
    #expect(NameGrammar.expected(insteadOf: text) == instead)
  }
}
