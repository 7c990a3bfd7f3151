import Foundation
import PackagePlugin

/// Turns the prompts, the people who are played, and the server's page into Swift files, so that the programs need no
/// files beside them.
@main
struct FileEmbedding: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let package = context.package.directoryURL
    let (folder, type) =
      switch target.name {
      case "RapportServer": (target.directoryURL, "EmbeddedFiles")
      case "Simulation": (package.appending(path: "Fixtures/personas"), "EmbeddedPersonas")
      default: (package.appending(path: "Prompts"), "EmbeddedPrompts")
      }
    let output = context.pluginWorkDirectoryURL.appending(path: "\(type).swift")
    return [
      .buildCommand(
        displayName: "Embedding \(folder.lastPathComponent)",
        executable: try context.tool(named: "EmbedFiles").url,
        arguments: [folder.path, output.path, type],
        inputFiles: files(under: folder),
        outputFiles: [output])
    ]
  }

  private func files(under folder: URL) -> [URL] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? [])
      .filter { !$0.hasDirectoryPath && $0.pathExtension != "swift" }
  }
}
