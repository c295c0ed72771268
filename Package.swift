// swift-tools-version: 6.2
import PackageDescription

// Every dependency between two targets is written here. There are no other packages, ever.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// In the targets of Sources each unsafe use is marked, and the mark allowed by a rule of docs/memory.md.
let sourceSettings = settings + [.strictMemorySafety()]

func library(_ name: String, dependencies: [String] = []) -> Target {
  .target(
    name: name,
    dependencies: dependencies.map { .byName(name: $0) },
    swiftSettings: sourceSettings
  )
}

func program(_ name: String, dependencies: [String]) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies.map { .byName(name: $0) },
    swiftSettings: sourceSettings
  )
}

/// A program of `Examples/`: built by `Scripts/ci`, so that it stays true; no product of it.
func example(_ folder: String, dependencies: [String] = ["FlowCore", "FlowRemote"]) -> Target {
  .executableTarget(
    name: "Example\(folder)",
    dependencies: dependencies.map { .byName(name: $0) },
    path: "Examples/\(folder)",
    swiftSettings: settings
  )
}

/// Only the test target that holds the engine's contract is optimised in release, as users' code is.
func tests(_ name: String, dependencies: [String]) -> Target {
  let plain = SwiftSetting.unsafeFlags(["-Onone"], .when(configuration: .release))
  return .testTarget(
    name: name,
    dependencies: dependencies.map { .byName(name: $0) },
    swiftSettings: name == "FlowCoreContractTests" ? settings : settings + [plain]
  )
}

let package = Package(
  name: "flow",
  products: [
    .library(name: "FlowCore", targets: ["FlowCore"]),
    .library(name: "FlowFoundation", targets: ["FlowFoundation"]),
    .library(name: "FlowLanguage", targets: ["FlowLanguage"]),
    .library(name: "FlowRemote", targets: ["FlowRemote"]),
    // Not by the name of the program: `import FlowServer` is what it is for.
    .library(name: "FlowServerLibrary", targets: ["FlowServer", "FlowNATSBackend"]),
    .executable(name: "FlowServer", targets: ["FlowServerProgram"]),
    .executable(name: "flowclient", targets: ["flowclientProgram"]),
    .executable(name: "flow", targets: ["BothPrograms"]),
  ],
  targets: [
    library("FlowCore"),
    library("FlowFoundation", dependencies: ["FlowCore"]),
    library("Spelling"),
    library("Programs", dependencies: ["Spelling"]),
    .target(name: "CVectors"),
    library("FlowLanguage", dependencies: ["CVectors", "FlowCore", "Spelling"]),
    library("FlowWire", dependencies: ["Spelling"]),
    library("FlowSubjects", dependencies: ["FlowCore", "FlowLanguage", "FlowWire"]),
    library(
      "FlowFiles",
      dependencies: ["FlowCore", "FlowLanguage", "FlowSubjects", "FlowWire", "Spelling"]
    ),
    .target(name: "CLinux"),
    library("FlowTransport", dependencies: ["CLinux"]),
    library("FlowNATS", dependencies: ["FlowTransport"]),
    library("FlowHTTP"),
    .target(name: "CChecksum"),
    library("FlowJournal", dependencies: ["CChecksum"]),
    .target(name: "CPage"),
    .target(
      name: "FlowPage",
      dependencies: ["CPage"],
      exclude: ["Files"],
      swiftSettings: sourceSettings
    ),
    library(
      "FlowServer",
      dependencies: [
        "FlowCore", "FlowLanguage", "FlowFiles", "FlowHTTP", "FlowPage", "FlowSubjects", "FlowWire",
        "FlowTransport", "Spelling",
      ]
    ),
    library(
      "FlowNATSBackend",
      dependencies: [
        "FlowCore", "FlowLanguage", "FlowFiles", "FlowNATS", "FlowServer", "FlowSubjects",
        "FlowTransport", "FlowWire",
      ]
    ),
    library(
      "FlowServerMain",
      dependencies: ["FlowNATSBackend", "FlowServer", "FlowTransport", "Programs"]
    ),
    program("FlowServerProgram", dependencies: ["FlowServerMain"]),
    library("FlowRemote", dependencies: ["FlowCore", "FlowWire", "FlowTransport"]),
    library(
      "flowclient",
      dependencies: [
        "FlowCore", "FlowLanguage", "FlowFiles", "FlowRemote", "FlowTransport", "FlowWire",
        "Programs",
      ]
    ),

    program("flowclientProgram", dependencies: ["flowclient"]),
    program("BothPrograms", dependencies: ["FlowServerMain", "flowclient"]),

    example("Subscriber"),
    example("Worker"),
    example("Publisher"),
    example("Host", dependencies: ["FlowServer"]),

    .target(
      name: "FlowTestSupport",
      dependencies: ["FlowCore"],
      path: "Tests/FlowTestSupport",
      swiftSettings: settings
    ),
    .target(
      name: "FlowServerSupport",
      dependencies: [
        "FlowCore", "FlowNATS", "FlowNATSBackend", "FlowNATSSupport", "FlowServer",
        "FlowTestSupport", "FlowTransport",
      ],
      path: "Tests/FlowServerSupport",
      swiftSettings: settings
    ),
    .target(
      name: "FlowNATSSupport",
      dependencies: ["FlowNATS"],
      path: "Tests/FlowNATSSupport",
      swiftSettings: settings
    ),
    .target(
      name: "FlowSimulation",
      dependencies: [
        "CLinux", "FlowCore", "FlowLanguage", "FlowNATSSupport", "FlowServerMain", "FlowRemote",
        "FlowTransport", "FlowTestSupport", "flowclient",
      ],
      path: "Tests/FlowSimulation",
      exclude: ["Stored"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "simulate",
      dependencies: ["FlowSimulation"],
      path: "Tests/simulate",
      swiftSettings: settings
    ),
    tests("FlowSimulationTests", dependencies: ["FlowSimulation", "FlowTestSupport"]),
    tests("FlowCoreTests", dependencies: ["FlowCore", "FlowTestSupport"]),
    tests("FlowCoreContractTests", dependencies: ["FlowCore", "FlowTestSupport"]),
    tests("FlowFoundationTests", dependencies: ["FlowCore", "FlowFoundation", "FlowTestSupport"]),
    tests(
      "FlowLanguageTests",
      dependencies: ["FlowCore", "FlowFiles", "FlowLanguage", "FlowTestSupport"]
    ),
    tests("SpellingTests", dependencies: ["Spelling"]),
    tests("FlowWireTests", dependencies: ["FlowTestSupport", "FlowWire"]),
    tests("FlowFilesTests", dependencies: ["FlowFiles", "FlowLanguage", "FlowWire"]),
    tests("FlowTransportTests", dependencies: ["FlowTestSupport", "FlowTransport"]),
    tests(
      "FlowNATSTests",
      dependencies: ["FlowNATS", "FlowNATSSupport", "FlowTestSupport", "FlowTransport"]
    ),
    tests("FlowHTTPTests", dependencies: ["FlowHTTP", "FlowTestSupport"]),
    tests("FlowJournalTests", dependencies: ["FlowJournal"]),
    tests(
      "FlowServerTests",
      dependencies: [
        "FlowCore", "FlowLanguage", "FlowFiles", "FlowHTTP", "FlowSubjects", "FlowWire",
        "FlowTransport", "FlowServer", "FlowServerSupport", "FlowTestSupport",
      ]
    ),
    tests(
      "FlowNATSBackendTests",
      dependencies: [
        "FlowNATS", "FlowNATSBackend", "FlowNATSSupport", "FlowServer", "FlowServerSupport",
        "FlowSubjects", "FlowTestSupport", "FlowTransport", "FlowWire",
      ]
    ),
    tests(
      "FlowRemoteTests",
      dependencies: [
        "FlowCore", "FlowFoundation", "FlowRemote", "FlowServer", "FlowServerSupport",
        "FlowTestSupport", "FlowTransport",
      ]
    ),
    tests(
      "FlowServerMainTests",
      dependencies: [
        "FlowServer", "FlowServerMain", "FlowTestSupport", "FlowTransport", "Programs",
      ]
    ),
    tests(
      "flowclientTests",
      dependencies: [
        "flowclient", "FlowCore", "FlowLanguage", "FlowRemote", "FlowServerSupport",
        "FlowTestSupport", "FlowWire", "Programs",
      ]
    ),
    tests(
      "ProgramTests",
      dependencies: [
        "flowclient", "flowclientProgram", "FlowLanguage", "FlowServer", "FlowServerProgram",
        "FlowServerSupport", "FlowTestSupport",
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)

/// With some targets named in FLOW_TARGETS, as Scripts/ci does, the package has only these and what they need.
if let named = Context.environment["FLOW_TARGETS"]?.split(separator: " ").map(String.init) {
  var kept: Set<String> = []
  var pending = named
  while let name = pending.popLast() {
    guard kept.insert(name).inserted else { continue }
    guard let target = package.targets.first(where: { $0.name == name }) else {
      fatalError("FLOW_TARGETS: there is no target \(name)")
    }
    for case .byNameItem(let needed, _) in target.dependencies { pending.append(needed) }
  }
  package.targets.removeAll { !kept.contains($0.name) }
  package.products.removeAll { product in
    let targets =
      (product as? Product.Library)?.targets ?? (product as? Product.Executable)?.targets ?? []
    return !kept.isSuperset(of: targets)
  }
}
