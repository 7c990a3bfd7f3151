import Foundation
import PackagePlugin

/// Turns the prompts, and the people who are played, into Swift files, so that the program needs no files beside it.
@main
struct PromptEmbedding: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let (path, type) =
      target.name == "Simulation"
      ? ("Fixtures/personas", "EmbeddedPersonas") : ("Prompts", "EmbeddedPrompts")
    let folder = context.package.directoryURL.appending(path: path)
    let output = context.pluginWorkDirectoryURL.appending(path: "\(type).swift")
    return [
      .buildCommand(
        displayName: "Embedding \(folder.lastPathComponent)",
        executable: try context.tool(named: "EmbedPrompts").url,
        arguments: [folder.path, output.path, type],
        inputFiles: files(under: folder),
        outputFiles: [output])
    ]
  }

  private func files(under folder: URL) -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }
  }
}
