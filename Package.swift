// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "rapport",
  products: [
    .executable(name: "rapport", targets: ["rapport"]),
    .executable(name: "rapport-server", targets: ["rapport-server"]),
    .library(name: "ContextQuality", targets: ["ContextQuality"]),
    .library(name: "OfflineScorer", targets: ["OfflineScorer"]),
    .library(name: "EncoderScorer", targets: ["EncoderScorer"]),
    .library(name: "Intake", targets: ["Intake"]),
    .library(name: "Rehearsal", targets: ["Rehearsal"]),
    .library(name: "Plans", targets: ["Plans"]),
    .library(name: "Journeys", targets: ["Journeys"]),
    .library(name: "Coaching", targets: ["Coaching"]),
    .library(name: "LanguageModels", targets: ["LanguageModels", "HTTPStreaming"]),
    .library(name: "HealthRecords", targets: ["HealthRecords"]),
    .library(name: "Supabase", targets: ["Supabase"]),
    .library(name: "Sync", targets: ["Sync"]),
    .library(name: "SessionStore", targets: ["SessionStore"]),
    .library(name: "PostgresStore", targets: ["PostgresStore"]),
    .library(name: "Simulation", targets: ["Simulation"]),
    .library(name: "Startup", targets: ["Startup", "Settings"]),
    .library(name: "IncrementalJSON", targets: ["IncrementalJSON"]),
    .library(
      name: "RapportTesting", targets: ["RapportTesting", "Cassettes", "MockServer", "WireFormats"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
    // The server's, which `swift build --product rapport` doesn't compile.
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // Text, bytes and the wire.
    .target(name: "IncrementalJSON"),
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    .systemLibrary(name: "CZlib"),
    .target(name: "HTTPStreaming", dependencies: ["CCurl"]),
    .target(name: "LanguageModels", dependencies: ["HTTPStreaming", "IncrementalJSON"]),
    .target(
      name: "Supabase", dependencies: ["HTTPStreaming", "IncrementalJSON", "LanguageModels"]),

    // What is known of a person, and how text is read without a model.
    .target(name: "ContextQuality", dependencies: ["IncrementalJSON"]),
    .target(name: "Signals", dependencies: ["ContextQuality", "IncrementalJSON"]),
    .target(name: "CScorerModel", exclude: ["scorer.model"]),
    .target(name: "OfflineScorer", dependencies: ["CScorerModel", "ContextQuality"]),
    .target(name: "CEncoder", exclude: ["acts.model", "encoder.model"]),
    .target(
      name: "EncoderScorer", dependencies: ["CEncoder", "ContextQuality", "OfflineScorer"]),
    .target(name: "CHealthScan"),
    .target(name: "HealthRecords", dependencies: ["CHealthScan", "CZlib", "ContextQuality"]),

    // The conversation.
    .target(
      name: "Intake",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "LanguageModels", "Signals",
        .product(name: "Mustache", package: "swift-mustache"),
      ],
      plugins: ["FileEmbedding"]),
    .target(
      name: "Rehearsal",
      dependencies: [
        "ContextQuality", "EncoderScorer", "IncrementalJSON", "Intake", "LanguageModels",
        "OfflineScorer", "Signals",
      ]),
    .target(
      name: "SessionStore",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "Intake", "Journeys", "Plans",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      resources: [
        .embedInCode("Schema/events.sql"), .embedInCode("Schema/persons.sql"),
        .embedInCode("Schema/outbox.sql"), .embedInCode("Schema/sign-ins.sql"),
        .embedInCode("Schema/moves.sql"), .embedInCode("Schema/purchases.sql"),
        .embedInCode("Schema/recoveries.sql"),
      ]),
    .systemLibrary(name: "CPostgres"),
    .target(
      name: "PostgresStore",
      dependencies: ["CPostgres", "IncrementalJSON", "Intake", "Journeys", "SessionStore"],
      resources: [
        .embedInCode("Schema/tables.sql"), .embedInCode("Schema/accounts.sql"),
        .embedInCode("Schema/moves.sql"), .embedInCode("Schema/purchases.sql"),
        .embedInCode("Schema/recoveries.sql"),
      ]),

    // A goal and a program, drafted and approved.
    .target(
      name: "Plans",
      dependencies: [
        "ContextQuality", "EncoderScorer", "IncrementalJSON", "Intake", "LanguageModels",
        "Rehearsal", "Signals",
      ]),

    // Onboarding flows as data.
    .target(
      name: "Journeys",
      dependencies: [
        "ContextQuality", "EncoderScorer", "IncrementalJSON", "Intake", "LanguageModels",
        "OfflineScorer", "Plans", "Rehearsal", "Signals",
      ]),

    // What comes after: a log of what was done, reviews, constraints that lapse.
    .target(
      name: "Coaching",
      dependencies: [
        "ContextQuality", "HealthRecords", "IncrementalJSON", "Intake", "Plans", "Signals",
      ]),

    // Transcripts by the million.
    .target(
      name: "BatchScoring",
      dependencies: [
        "CZlib", "ContextQuality", "EncoderScorer", "IncrementalJSON", "OfflineScorer",
      ]),
    .target(
      name: "ModelScoring",
      dependencies: [
        "BatchScoring", "ContextQuality", "EncoderScorer", "IncrementalJSON", "Intake",
        "LanguageModels", "OfflineScorer",
      ]),
    .target(
      name: "ScoreReport", dependencies: ["BatchScoring", "ContextQuality", "OfflineScorer"],
      resources: [
        .embedInCode("Resources/page.css"), .embedInCode("Resources/report.css"),
        .embedInCode("Resources/agreement.css"), .embedInCode("Resources/comparison.css"),
        .embedInCode("Resources/simulation.css"),
      ]),

    // Conversations as tests.
    .target(
      name: "WireFormats", dependencies: ["HTTPStreaming", "IncrementalJSON", "LanguageModels"]),
    .target(
      name: "Cassettes",
      dependencies: [
        "ContextQuality", "HTTPStreaming", "IncrementalJSON", "Intake", "LanguageModels", "Signals",
        "WireFormats",
      ]),
    .target(
      name: "MockServer",
      dependencies: [
        "HTTPStreaming", "IncrementalJSON", "LanguageModels", "WireFormats",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      resources: [.embedInCode("Resources/coach.json")]),
    .target(
      name: "RapportTesting",
      dependencies: [
        "Cassettes", "Coaching", "ContextQuality", "HTTPStreaming", "IncrementalJSON", "Intake",
        "Journeys", "LanguageModels", "MockServer", "OfflineScorer", "Plans", "Rehearsal",
        "Signals", "WireFormats",
      ]),

    // People who are played, to measure prompts and policies.
    .target(
      name: "Simulation",
      dependencies: [
        "Coaching", "ContextQuality", "EncoderScorer", "IncrementalJSON", "Intake", "Journeys",
        "LanguageModels", "OfflineScorer", "Plans", "Rehearsal", "Signals", "WireFormats",
      ],
      resources: [
        .embedInCode("Resources/listener.md"), .embedInCode("Resources/player.md"),
        .embedInCode("Resources/profile.md"),
      ],
      plugins: ["FileEmbedding"]),

    // The program.
    .target(name: "CLineEdit", linkerSettings: [.linkedLibrary("edit")]),
    .target(name: "Terminal", dependencies: ["CLineEdit"]),
    .target(
      name: "Settings", dependencies: ["HTTPStreaming", "IncrementalJSON", "LanguageModels"]),
    .target(
      name: "Sync",
      dependencies: [
        "Coaching", "ContextQuality", "IncrementalJSON", "Intake", "Journeys", "LanguageModels",
        "Plans", "SessionStore", "Settings", "Supabase",
      ]),
    .target(
      name: "Startup",
      dependencies: [
        "Cassettes", "ContextQuality", "HTTPStreaming", "HealthRecords", "Intake", "LanguageModels",
        "Plans", "PostgresStore", "Rehearsal", "SessionStore", "Settings", "Supabase", "Sync",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "Commands",
      dependencies: [
        "BatchScoring", "ContextQuality", "HealthRecords", "IncrementalJSON", "Intake",
        "LanguageModels", "SessionStore", "Settings", "Startup", "Supabase", "Terminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .target(
      name: "Laboratory",
      dependencies: [
        "BatchScoring", "Cassettes", "Commands", "ContextQuality", "EncoderScorer",
        "HTTPStreaming", "IncrementalJSON", "Intake", "LanguageModels", "MockServer",
        "ModelScoring", "OfflineScorer", "Plans", "RapportTesting", "Rehearsal", "ScoreReport",
        "SessionStore", "Settings", "Signals", "Simulation", "Startup", "Terminal",
        "WireFormats",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "rapport",
      dependencies: [
        "Cassettes", "Coaching", "Commands", "ContextQuality", "HTTPStreaming", "HealthRecords",
        "IncrementalJSON", "Intake", "Journeys", "Laboratory", "LanguageModels", "ModelScoring",
        "Plans", "RapportTesting", "Rehearsal", "SessionStore", "Settings", "Startup", "Supabase",
        "Sync", "Terminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // The server, which sees of the engine what other packages see.
    .systemLibrary(name: "CAllocator", path: "Server/Sources/CAllocator"),
    .systemLibrary(name: "CJose", path: "Server/Sources/CJose"),
    .target(
      name: "RapportServer",
      dependencies: [
        "CJose", "Cassettes", "Coaching", "ContextQuality", "HTTPStreaming", "HealthRecords",
        "IncrementalJSON", "Intake", "Journeys", "LanguageModels", "Plans", "RapportTesting",
        "Rehearsal", "SessionStore", "Signals", "Startup", "Supabase", "Sync", "WireFormats",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      path: "Server/Sources/RapportServer",
      // The plugin puts them into the program. As resources, they would be arrays of numbers, which take a
      // minute to compile.
      exclude: ["HTTP/openapi.json", "Web"],
      packageAccess: false,
      plugins: ["FileEmbedding"]),
    .executableTarget(
      name: "rapport-server",
      dependencies: [
        "CAllocator", "ContextQuality", "Intake", "Journeys", "LanguageModels", "RapportServer",
        "SessionStore", "Settings", "Startup", "Supabase",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Server/Sources/rapport-server",
      packageAccess: false),
    // What a turn costs without an engine, for the benchmarks.
    .executableTarget(
      name: "relay",
      dependencies: [
        "HTTPStreaming", "LanguageModels",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Server/Benchmarks/Relay",
      packageAccess: false),

    // Tools that make what the program holds.
    .executableTarget(name: "EmbedFiles", path: "Plugins/EmbedFiles"),
    .executableTarget(
      name: "manual-pages", dependencies: ["IncrementalJSON"], path: "Plugins/ManualPages"),
    .plugin(name: "FileEmbedding", capability: .buildTool(), dependencies: ["EmbedFiles"]),
    .target(name: "CTraining", path: "Training/CTraining"),
    .executableTarget(
      name: "train-scorer",
      dependencies: [
        "CTraining", "ContextQuality", "EncoderScorer", "IncrementalJSON", "OfflineScorer",
      ],
      path: "Training/Trainer"),

    // For the benchmarks.
    .executableTarget(
      name: "rapport-bench",
      dependencies: [
        "Cassettes", "Coaching", "ContextQuality", "HTTPStreaming", "HealthRecords",
        "IncrementalJSON", "Intake",
        "LanguageModels", "RapportTesting", "WireFormats",
      ],
      path: "Benchmarks/Sources/rapport-bench", packageAccess: false),

    // Tests, one folder a target.
    .target(
      name: "TestSupport", dependencies: ["ContextQuality", "IncrementalJSON"],
      path: "Tests/TestSupport"),
    .target(
      name: "IntakeTestSupport",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "Intake", "LanguageModels", "Rehearsal", "TestSupport",
      ],
      path: "Tests/IntakeTestSupport"),
    .target(
      name: "TerminalTestSupport", dependencies: ["Terminal"], path: "Tests/TerminalTestSupport"),
    .target(
      name: "CoachServer",
      dependencies: [
        "Cassettes", "ContextQuality", "HTTPStreaming", "IncrementalJSON", "LanguageModels",
        "MockServer", "OfflineScorer", "TestSupport", "WireFormats",
      ],
      path: "Tests/CoachServer"),
    .target(
      name: "SupabaseMock",
      dependencies: ["HTTPStreaming", "IncrementalJSON", "MockServer", "WireFormats"],
      path: "Tests/SupabaseMock"),
    .executableTarget(
      name: "supabase-mock",
      dependencies: [
        "MockServer", "Supabase", "SupabaseMock", "Terminal",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/SupabaseMockProgram"),
    .target(
      name: "SupabaseTestSupport",
      dependencies: [
        "HTTPStreaming", "LanguageModels", "MockServer", "Supabase", "SupabaseMock", "TestSupport",
      ],
      path: "Tests/SupabaseTestSupport"),
    .executableTarget(
      name: "terminal-probe", dependencies: ["Terminal"], path: "Tests/TerminalProbe"),
    .testTarget(name: "IncrementalJSONTests", dependencies: ["IncrementalJSON", "TestSupport"]),
    .testTarget(
      name: "HTTPStreamingTests", dependencies: ["CCurl", "HTTPStreaming", "TestSupport"]),
    .testTarget(
      name: "LanguageModelsTests",
      dependencies: ["HTTPStreaming", "IncrementalJSON", "LanguageModels", "TestSupport"]),
    .testTarget(
      name: "SupabaseTests",
      dependencies: [
        "HTTPStreaming", "IncrementalJSON", "LanguageModels", "Supabase", "SupabaseMock",
        "SupabaseTestSupport", "TestSupport",
      ]),
    .testTarget(
      name: "ContextQualityTests",
      dependencies: ["ContextQuality", "IncrementalJSON", "TestSupport"]),
    .testTarget(
      name: "SignalsTests", dependencies: ["ContextQuality", "Intake", "Signals", "TestSupport"]),
    .testTarget(
      name: "OfflineScorerTests",
      dependencies: [
        "CEncoder", "ContextQuality", "EncoderScorer", "IncrementalJSON", "OfflineScorer",
        "TestSupport", "train-scorer",
      ]),
    .testTarget(
      name: "HealthRecordsTests",
      dependencies: [
        "CHealthScan", "CZlib", "ContextQuality", "HealthRecords", "Intake", "Signals",
        "TestSupport",
      ]),
    .testTarget(
      name: "IntakeTests",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "Intake", "IntakeTestSupport", "LanguageModels",
        "Rehearsal", "Signals",
        "TestSupport",
      ]),
    .testTarget(
      name: "RehearsalTests",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "Intake", "IntakeTestSupport", "LanguageModels",
        "OfflineScorer",
        "Rehearsal", "Signals", "TestSupport",
      ]),
    .testTarget(
      name: "PlansTests", dependencies: ["IncrementalJSON", "Intake", "Plans"]),
    .testTarget(
      name: "JourneysTests",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "Intake", "IntakeTestSupport", "Journeys",
        "LanguageModels", "Plans", "Rehearsal", "Signals", "TestSupport",
      ]),
    .testTarget(
      name: "CoachingTests",
      dependencies: [
        "Coaching", "ContextQuality", "HealthRecords", "IncrementalJSON", "Intake",
        "IntakeTestSupport", "Journeys", "LanguageModels", "Plans", "Rehearsal", "Signals",
        "TestSupport",
      ]),
    .testTarget(
      name: "SessionStoreTests",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "Intake", "IntakeTestSupport", "Journeys",
        "LanguageModels", "PostgresStore", "Rehearsal", "SessionStore", "TestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "ModelScoringTests",
      dependencies: [
        "BatchScoring", "ContextQuality", "IncrementalJSON", "Intake", "LanguageModels",
        "ModelScoring", "OfflineScorer", "TestSupport",
      ]),
    .testTarget(
      name: "ScoreReportTests",
      dependencies: [
        "BatchScoring", "ContextQuality", "Intake", "OfflineScorer", "ScoreReport", "TestSupport",
      ]),
    .testTarget(
      name: "CassettesTests",
      dependencies: [
        "Cassettes", "Coaching", "ContextQuality", "HTTPStreaming", "IncrementalJSON", "Intake",
        "LanguageModels", "MockServer", "RapportTesting", "Signals", "TestSupport", "WireFormats",
      ]),
    .testTarget(
      name: "MockServerTests",
      dependencies: [
        "Cassettes", "HTTPStreaming", "IncrementalJSON", "Intake", "LanguageModels", "MockServer",
        "TestSupport", "WireFormats",
      ]),
    .testTarget(
      name: "RapportTestingTests",
      dependencies: [
        "Cassettes", "Coaching", "ContextQuality", "HTTPStreaming", "IncrementalJSON", "Intake",
        "Journeys", "LanguageModels", "RapportTesting", "Rehearsal", "Signals", "TestSupport",
        "WireFormats",
      ]),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "ContextQuality", "IncrementalJSON", "Intake", "LanguageModels", "MockServer", "Rehearsal",
        "Signals", "Simulation", "TestSupport", "WireFormats",
      ]),
    // Samples of the documentation, which see what other packages see.
    .testTarget(
      name: "DocumentationTests",
      dependencies: [
        "Cassettes", "ContextQuality", "HTTPStreaming", "HealthRecords", "IncrementalJSON",
        "Intake",
        "LanguageModels", "OfflineScorer", "PostgresStore", "RapportTesting", "Rehearsal",
        "SessionStore", "Simulation", "Supabase", "Sync", "TestSupport",
      ],
      packageAccess: false),
    .testTarget(
      name: "SettingsTests", dependencies: ["LanguageModels", "Settings", "TestSupport"]),
    .testTarget(
      name: "SyncTests",
      dependencies: [
        "Coaching", "ContextQuality", "HTTPStreaming", "IncrementalJSON", "Intake",
        "IntakeTestSupport", "LanguageModels", "SessionStore", "Settings", "Supabase",
        "SupabaseMock", "SupabaseTestSupport", "Sync", "TestSupport",
      ]),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["Terminal", "TerminalTestSupport", "TestSupport", "terminal-probe"]),
    .testTarget(
      name: "rapportTests",
      dependencies: [
        "Cassettes", "CoachServer", "Commands", "HTTPStreaming", "HealthRecords", "IncrementalJSON",
        "Intake", "Journeys", "LanguageModels", "MockServer", "Plans", "RapportTesting",
        "Rehearsal",
        "SessionStore", "Settings", "Signals", "Startup", "Supabase", "SupabaseMock",
        "SupabaseTestSupport", "Terminal", "TerminalTestSupport", "TestSupport", "WireFormats",
        "manual-pages", "rapport", "supabase-mock",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "RapportServerTests",
      dependencies: [
        "CJose", "Coaching", "ContextQuality", "HTTPStreaming", "HealthRecords", "IncrementalJSON",
        "Intake", "Journeys", "LanguageModels", "MockServer", "Plans", "RapportServer",
        "RapportTesting", "Rehearsal", "SessionStore", "Supabase", "SupabaseMock", "Sync",
        "TestSupport", "WireFormats", "rapport-server",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ],
      path: "Server/Tests/RapportServerTests",
      packageAccess: false),
  ]
)

let fastTargets = [
  "ContextQuality", "EncoderScorer", "HTTPStreaming", "IncrementalJSON", "OfflineScorer", "Signals",
  "WireFormats",
]
for target in package.targets where ![.system, .plugin].contains(target.type) {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
  // A handler of the server leaves the event loop that called it.
  if target.path?.hasPrefix("Server/") != true {
    target.swiftSettings?.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
  }
  // Without this, a debug build spends most of the tests' time in these. A package that others depend on
  // can't set such flags, so only `make` does.
  if Context.environment["FAST_TESTS"] != nil, fastTargets.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
  }
}
