import Foundation
import PackagePlugin

/// Turns `Prompts/` into a Swift file, so that the program needs no files beside it.
@main
struct PromptEmbedding: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let prompts = context.package.directoryURL.appending(path: "Prompts")
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPrompts.swift")
    return [
      .buildCommand(
        displayName: "Embedding \(prompts.lastPathComponent)",
        executable: try context.tool(named: "EmbedPrompts").url,
        arguments: [prompts.path, output.path],
        inputFiles: files(under: prompts),
        outputFiles: [output])
    ]
  }

  private func files(under folder: URL) -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }
  }
}
