// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "rapport-server",
  products: [
    .executable(name: "rapport-server", targets: ["rapport-server"]),
    .library(name: "RapportServer", targets: ["RapportServer"]),
  ],
  dependencies: [
    .package(name: "rapport", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
  ],
  targets: [
    .target(
      name: "RapportServer",
      dependencies: [
        .product(name: "ContextQuality", package: "rapport"),
        .product(name: "HealthRecords", package: "rapport"),
        .product(name: "IncrementalJSON", package: "rapport"),
        .product(name: "Intake", package: "rapport"),
        .product(name: "Journeys", package: "rapport"),
        .product(name: "LanguageModels", package: "rapport"),
        .product(name: "RapportTesting", package: "rapport"),
        .product(name: "Rehearsal", package: "rapport"),
        .product(name: "SessionStore", package: "rapport"),
        .product(name: "Startup", package: "rapport"),
        .product(name: "Supabase", package: "rapport"),
        .product(name: "Sync", package: "rapport"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Metrics", package: "swift-metrics"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      // The page and the description of the API become part of the program.
      resources: [
        .embedInCode("HTTP/openapi.json"),
        .embedInCode("Web/app.js"),
        .embedInCode("Web/composer.js"),
        .embedInCode("Web/conversation.js"),
        .embedInCode("Web/fields.js"),
        .embedInCode("Web/figures.js"),
        .embedInCode("Web/health.js"),
        .embedInCode("Web/icon.svg"),
        .embedInCode("Web/index.html"),
        .embedInCode("Web/insight.js"),
        .embedInCode("Web/journey.js"),
        .embedInCode("Web/menu.js"),
        .embedInCode("Web/orb.js"),
        .embedInCode("Web/paywall.js"),
        .embedInCode("Web/steps.js"),
        .embedInCode("Web/stream.js"),
        .embedInCode("Web/style.css"),
        .embedInCode("Web/text.js"),
        .embedInCode("Web/tour.js"),
        .embedInCode("Web/words.js"),
      ]),
    .executableTarget(
      name: "rapport-server",
      dependencies: [
        "RapportServer",
        .product(name: "ContextQuality", package: "rapport"),
        .product(name: "Intake", package: "rapport"),
        .product(name: "LanguageModels", package: "rapport"),
        .product(name: "SessionStore", package: "rapport"),
        .product(name: "Startup", package: "rapport"),
        .product(name: "Supabase", package: "rapport"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    // What a turn costs without an engine, for the benchmarks.
    .executableTarget(
      name: "relay",
      dependencies: [
        .product(name: "LanguageModels", package: "rapport"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
      ],
      path: "Benchmarks/Relay"),
    .testTarget(
      name: "RapportServerTests",
      dependencies: [
        "RapportServer", "rapport-server",
        .product(name: "IncrementalJSON", package: "rapport"),
        .product(name: "Intake", package: "rapport"),
        .product(name: "Journeys", package: "rapport"),
        .product(name: "LanguageModels", package: "rapport"),
        .product(name: "RapportTesting", package: "rapport"),
        .product(name: "Rehearsal", package: "rapport"),
        .product(name: "SessionStore", package: "rapport"),
        .product(name: "Supabase", package: "rapport"),
        .product(name: "_CryptoExtras", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
      ]),
  ]
)

for target in package.targets {
  target.swiftSettings = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
