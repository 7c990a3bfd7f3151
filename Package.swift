// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
  name: "rapport",
  products: [
    .executable(name: "rapport", targets: ["rapport"]),
    .library(name: "Intake", targets: ["Intake"]),
    .library(name: "ContextQuality", targets: ["ContextQuality"]),
    .library(name: "LanguageModels", targets: ["LanguageModels", "HTTPStreaming"]),
    .library(name: "SessionStore", targets: ["SessionStore"]),
    .library(name: "RapportTesting", targets: ["RapportTesting", "Cassettes", "MockServer"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: [
    .target(name: "IncrementalJSON", swiftSettings: strict),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .target(name: "HTTPStreaming", dependencies: ["CCurl"], swiftSettings: strict),
    .target(
      name: "LanguageModels", dependencies: ["HTTPStreaming", "IncrementalJSON"],
      swiftSettings: strict),
    .target(name: "CScorerModel", exclude: ["scorer.model"]),
    .target(
      name: "ContextQuality", dependencies: ["CScorerModel", "IncrementalJSON"],
      swiftSettings: strict),
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CMalloc"),
    .target(
      name: "BatchScoring", dependencies: ["ContextQuality", "IncrementalJSON", "CZlib"],
      swiftSettings: strict),
    .target(
      name: "ModelScoring",
      dependencies: [
        "BatchScoring", "ContextQuality", "IncrementalJSON", "Intake", "LanguageModels",
      ],
      swiftSettings: strict),
    .target(
      name: "ScoreReport", dependencies: ["BatchScoring", "ContextQuality"], swiftSettings: strict),
    .target(name: "CHealthScan"),
    .target(
      name: "HealthRecords", dependencies: ["CHealthScan", "CZlib", "ContextQuality"],
      swiftSettings: strict),
    .target(name: "CTraining"),
    .executableTarget(
      name: "train-scorer",
      dependencies: ["BatchScoring", "ContextQuality", "CTraining", "IncrementalJSON"],
      path: "Sources/TrainScorer", swiftSettings: strict),
    .target(
      name: "Intake",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "LanguageModels",
        .product(name: "Mustache", package: "swift-mustache"),
      ],
      swiftSettings: strict,
      plugins: ["PromptEmbedding"]),
    .target(
      name: "Cassettes",
      dependencies: [
        "ContextQuality", "HTTPStreaming", "IncrementalJSON", "Intake", "LanguageModels",
      ],
      swiftSettings: strict),
    .target(
      name: "RapportTesting",
      dependencies: [
        "Cassettes", "ContextQuality", "HTTPStreaming", "IncrementalJSON", "Intake",
        "LanguageModels", "MockServer",
      ],
      swiftSettings: strict),
    .target(
      name: "MockServer",
      dependencies: [
        "Cassettes", "HTTPStreaming", "IncrementalJSON", "LanguageModels",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      resources: [.embedInCode("Resources/coach.json")],
      swiftSettings: strict),
    .target(
      name: "SessionStore",
      dependencies: [
        "Intake", "ContextQuality", "IncrementalJSON",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .target(name: "CLineEdit", linkerSettings: [.linkedLibrary("edit")]),
    .target(name: "Terminal", dependencies: ["CLineEdit"], swiftSettings: strict),
    .target(
      name: "Settings", dependencies: ["LanguageModels", "HTTPStreaming", "IncrementalJSON"],
      swiftSettings: strict),
    .executableTarget(
      name: "rapport",
      dependencies: [
        "Intake", "SessionStore", "Settings", "Terminal", "LanguageModels", "HTTPStreaming",
        "ContextQuality", "BatchScoring", "Cassettes", "HealthRecords", "MockServer",
        "ModelScoring",
        "RapportTesting", "ScoreReport", "IncrementalJSON", "CMalloc",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    .executableTarget(name: "EmbedPrompts", swiftSettings: strict),
    .plugin(name: "PromptEmbedding", capability: .buildTool(), dependencies: ["EmbedPrompts"]),

    .target(
      name: "TestSupport", dependencies: ["IncrementalJSON"], path: "Tests/TestSupport",
      swiftSettings: strict),
    .target(
      name: "CoachServer",
      dependencies: ["MockServer", "Cassettes", "HTTPStreaming", "TestSupport"],
      path: "Tests/CoachServer", swiftSettings: strict),
    .testTarget(
      name: "IncrementalJSONTests", dependencies: ["IncrementalJSON", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "HTTPStreamingTests", dependencies: ["HTTPStreaming", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "LanguageModelsTests",
      dependencies: ["LanguageModels", "HTTPStreaming", "IncrementalJSON", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "CassettesTests",
      dependencies: [
        "Cassettes", "ContextQuality", "HTTPStreaming", "IncrementalJSON", "Intake",
        "LanguageModels", "MockServer", "RapportTesting", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ContextQualityTests",
      dependencies: ["ContextQuality", "IncrementalJSON", "TestSupport", "train-scorer"],
      swiftSettings: strict),
    .testTarget(
      name: "ScoreReportTests",
      dependencies: ["ScoreReport", "BatchScoring", "ContextQuality", "Intake", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "IntakeTests", dependencies: ["Intake", "IncrementalJSON", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ModelScoringTests",
      dependencies: [
        "ModelScoring", "BatchScoring", "ContextQuality", "IncrementalJSON", "Intake",
        "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MockServerTests",
      dependencies: [
        "MockServer", "Cassettes", "HTTPStreaming", "IncrementalJSON", "Intake", "LanguageModels",
        "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "RapportTestingTests",
      dependencies: [
        "RapportTesting", "Cassettes", "ContextQuality", "HTTPStreaming", "IncrementalJSON",
        "Intake", "LanguageModels", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SessionStoreTests",
      dependencies: [
        "SessionStore", "Intake", "ContextQuality", "IncrementalJSON", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "HealthRecordsTests",
      dependencies: [
        "HealthRecords", "CHealthScan", "CZlib", "ContextQuality", "Intake", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SettingsTests", dependencies: ["Settings", "LanguageModels", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "TerminalTests", dependencies: ["Terminal", "TestSupport", "terminal-probe"],
      swiftSettings: strict),
    .executableTarget(
      name: "terminal-probe", dependencies: ["Terminal"], path: "Tests/TerminalProbe",
      swiftSettings: strict),
    .testTarget(
      name: "rapportTests",
      dependencies: [
        "rapport", "TestSupport", "CoachServer", "HealthRecords", "Intake", "SessionStore",
        "IncrementalJSON",
        "LanguageModels", "HTTPStreaming", "Terminal",
      ], swiftSettings: strict),
  ]
)
