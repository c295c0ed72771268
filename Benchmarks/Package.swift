// swift-tools-version: 6.1
import PackageDescription

// A package of its own: it alone may depend on peers, to compare with them.

let package = Package(
  name: "benchmarks",
  dependencies: [
    .package(name: "flow", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
  ],
  targets: [
    .target(name: "CAllocations"),
    .target(name: "Measure", dependencies: ["CAllocations"]),
    .target(
      name: "FlowScenarios",
      dependencies: ["Measure", .product(name: "FlowCore", package: "flow")]
    ),
    .target(
      name: "OpenCombineScenarios",
      dependencies: [
        "Measure", "OpenCombine", .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      ]
    ),
    .executableTarget(
      name: "calls",
      dependencies: [
        .product(name: "FlowCore", package: "flow"), .product(name: "FlowRemote", package: "flow"),
      ]
    ),
    .executableTarget(
      name: "engine",
      dependencies: ["Measure", "FlowScenarios", "OpenCombineScenarios"]
    ),
    .executableTarget(
      name: "far",
      dependencies: [
        .product(name: "FlowCore", package: "flow"), .product(name: "FlowRemote", package: "flow"),
      ]
    ),
    .executableTarget(
      name: "language",
      dependencies: [
        "Measure", .product(name: "FlowCore", package: "flow"),
        .product(name: "FlowLanguage", package: "flow"),
      ]
    ),
  ],
  swiftLanguageModes: [.v6]
)
