// swift-tools-version: 6.2
import PackageDescription

// Every arrow between two rooms is a line here. There are no other packages, ever.

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// In the rooms each unsafe use is marked, and the mark allowed by a rule of docs/memory.md.
let roomSettings = settings + [.strictMemorySafety()]

func room(_ name: String, knows rooms: [String] = []) -> Target {
  .target(
    name: name,
    dependencies: rooms.map { .byName(name: $0) },
    swiftSettings: roomSettings
  )
}

func program(_ name: String, knows rooms: [String]) -> Target {
  .executableTarget(
    name: name,
    dependencies: rooms.map { .byName(name: $0) },
    swiftSettings: roomSettings
  )
}

/// A program of `Examples/`: built with the package, so that it stays true; no product of it.
func example(_ folder: String, knows rooms: [String] = ["FlowCore", "FlowRemote"]) -> Target {
  .executableTarget(
    name: "Example\(folder)",
    dependencies: rooms.map { .byName(name: $0) },
    path: "Examples/\(folder)",
    swiftSettings: settings
  )
}

/// Only the test target that holds the engine's contract is optimised in release, as users' code is.
func tests(_ name: String, knows rooms: [String]) -> Target {
  let plain = SwiftSetting.unsafeFlags(["-Onone"], .when(configuration: .release))
  return .testTarget(
    name: name,
    dependencies: rooms.map { .byName(name: $0) },
    swiftSettings: name == "FlowCoreContractTests" ? settings : settings + [plain]
  )
}

/// The rooms whose tests are built: all, but for whoever names some, such as the thread sanitizer's.
let tested = Context.environment["FLOW_TESTS"]?.split(separator: " ").map(String.init)

let package = Package(
  name: "flow",
  products: [
    .library(name: "FlowCore", targets: ["FlowCore"]),
    .library(name: "FlowFoundation", targets: ["FlowFoundation"]),
    .library(name: "FlowLanguage", targets: ["FlowLanguage"]),
    .library(name: "FlowRemote", targets: ["FlowRemote"]),
    // Not by the name of the program: `import FlowServer` is what it is for.
    .library(name: "FlowServerLibrary", targets: ["FlowServer"]),
    .executable(name: "FlowServer", targets: ["FlowServerProgram"]),
    .executable(name: "flowclient", targets: ["flowclientProgram"]),
    .executable(name: "flow", targets: ["BothPrograms"]),
  ],
  targets: [
    room("FlowCore"),
    room("FlowFoundation", knows: ["FlowCore"]),
    room("Spelling"),
    room("Programs", knows: ["Spelling"]),
    .target(name: "CVectors"),
    room("FlowLanguage", knows: ["CVectors", "FlowCore", "Spelling"]),
    room("FlowWire", knows: ["Spelling"]),
    room("FlowSubjects", knows: ["FlowCore", "FlowLanguage", "FlowWire"]),
    room(
      "FlowFiles",
      knows: ["FlowCore", "FlowLanguage", "FlowSubjects", "FlowWire", "Spelling"]
    ),
    .target(name: "CLinux"),
    room("FlowTransport", knows: ["CLinux"]),
    room("FlowNATS", knows: ["FlowTransport"]),
    room("FlowHTTP"),
    .target(name: "CPage"),
    .target(
      name: "FlowPage",
      dependencies: ["CPage"],
      exclude: ["Files"],
      swiftSettings: roomSettings
    ),
    room(
      "FlowServer",
      knows: [
        "FlowCore", "FlowLanguage", "FlowFiles", "FlowHTTP", "FlowNATS", "FlowPage", "FlowSubjects",
        "FlowWire", "FlowTransport", "Spelling",
      ]
    ),
    room("FlowServerMain", knows: ["FlowServer", "FlowTransport", "Programs"]),
    program("FlowServerProgram", knows: ["FlowServerMain"]),
    room("FlowRemote", knows: ["FlowCore", "FlowWire", "FlowTransport"]),
    room(
      "flowclient",
      knows: [
        "FlowCore", "FlowLanguage", "FlowFiles", "FlowRemote", "FlowTransport", "FlowWire",
        "Programs",
      ]
    ),

    program("flowclientProgram", knows: ["flowclient"]),
    program("BothPrograms", knows: ["FlowServerMain", "flowclient"]),

    example("Subscriber"),
    example("Worker"),
    example("Publisher"),
    example("Host", knows: ["FlowServer"]),

    .target(
      name: "FlowTestSupport",
      dependencies: ["FlowCore"],
      path: "Tests/FlowTestSupport",
      swiftSettings: settings
    ),
    .target(
      name: "FlowSimulation",
      dependencies: [
        "CLinux", "FlowCore", "FlowLanguage", "FlowServerMain", "FlowRemote", "FlowTransport",
        "FlowTestSupport", "flowclient",
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
    tests("FlowSimulationTests", knows: ["FlowSimulation", "FlowTestSupport"]),
    tests("FlowCoreTests", knows: ["FlowCore", "FlowTestSupport"]),
    tests("FlowCoreContractTests", knows: ["FlowCore", "FlowTestSupport"]),
    tests("FlowFoundationTests", knows: ["FlowCore", "FlowFoundation"]),
    tests(
      "FlowLanguageTests",
      knows: ["FlowCore", "FlowFiles", "FlowLanguage", "FlowTestSupport"]
    ),
    tests("SpellingTests", knows: ["Spelling"]),
    tests("FlowWireTests", knows: ["FlowTestSupport", "FlowWire"]),
    tests("FlowFilesTests", knows: ["FlowFiles", "FlowLanguage", "FlowWire"]),
    tests("FlowTransportTests", knows: ["FlowTestSupport", "FlowTransport"]),
    tests("FlowNATSTests", knows: ["FlowNATS", "FlowTestSupport", "FlowTransport"]),
    tests("FlowHTTPTests", knows: ["FlowHTTP", "FlowTestSupport"]),
    tests(
      "FlowServerTests",
      knows: [
        "FlowCore", "FlowLanguage", "FlowFiles", "FlowHTTP", "FlowNATS", "FlowSubjects", "FlowWire",
        "FlowTransport", "FlowServer", "FlowTestSupport",
      ]
    ),
    tests(
      "FlowRemoteTests",
      knows: [
        "FlowCore", "FlowFoundation", "FlowRemote", "FlowServer", "FlowTestSupport",
        "FlowTransport",
      ]
    ),
    tests(
      "FlowServerMainTests",
      knows: ["FlowServer", "FlowServerMain", "FlowTestSupport", "FlowTransport", "Programs"]
    ),
    tests(
      "flowclientTests",
      knows: [
        "flowclient", "flowclientProgram", "FlowCore", "FlowLanguage", "FlowRemote", "FlowServer",
        "FlowServerProgram", "FlowTestSupport", "FlowWire", "Programs",
      ]
    ),
    tests(
      "EndToEndTests",
      knows: [
        "FlowCore", "FlowLanguage", "FlowServer", "FlowTestSupport", "FlowTransport", "FlowWire",
      ]
    ),
  ].filter { $0.type != .test || tested?.contains($0.name) ?? true },
  swiftLanguageModes: [.v6]
)
