// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "rapport-benchmarks",
  dependencies: [.package(name: "rapport", path: "..")],
  targets: [
    .executableTarget(
      name: "rapport-bench",
      dependencies: [
        .product(name: "Coaching", package: "rapport"),
        .product(name: "HealthRecords", package: "rapport"),
        .product(name: "Intake", package: "rapport"),
        .product(name: "LanguageModels", package: "rapport"),
        .product(name: "RapportTesting", package: "rapport"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
