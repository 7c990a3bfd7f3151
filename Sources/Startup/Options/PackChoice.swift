public import ArgumentParser
import FoundationEssentials
import Intake
import LanguageModels
import Settings

extension ArgumentHelp {
  public static let pack = ArgumentHelp(
    "A prompt pack: a folder, or the name of a built-in one (default: fitness).", valueName: "pack")
}

extension CompletionKind {
  package static var providers: CompletionKind { .list(Provider.allCases.map(\.rawValue)) }

  /// The built-in packs, and folders with a pack in them.
  public static var packs: CompletionKind {
    .custom { _, _, typed in PackCompletions.candidates(typed) }
  }
}

package enum PackCompletions {
  package static func candidates(_ typed: String) -> [String] {
    PromptPack.embeddedNames + folders(typed)
  }

  /// Folders that begin as typed and hold a pack, or hold folders that do.
  private static func folders(_ typed: String) -> [String] {
    let slash = typed.lastIndex(of: "/").map(typed.index(after:)) ?? typed.startIndex
    let parent = String(typed[..<slash])
    return subfolders(of: parent, beginning: typed[slash...]).flatMap { folder in
      isPack(folder) ? [folder] : subfolders(of: folder + "/", beginning: "").filter(isPack)
    }
  }

  private static func subfolders(of parent: String, beginning: Substring) -> [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: parent.isEmpty ? "." : parent)
    return (names ?? []).sorted().filter { $0.hasPrefix(beginning) && !$0.hasPrefix(".") }.map {
      parent + $0
    }
  }

  private static func isPack(_ folder: String) -> Bool {
    FileManager.default.fileExists(atPath: folder + "/pack.json")
  }
}
