package import ArgumentParser

/// The commands that measure and test a coach.
package enum Laboratory {
  package static let scoring: [any ParsableCommand.Type] = [Score.self, Judge.self]
  package static let testing: [any ParsableCommand.Type] = [Test.self, Simulate.self, Mock.self]
}
