import FoundationEssentials
import Glibc
import IncrementalJSON

// Writes a manual page for every command. It reads what `rapport --experimental-dump-help` prints.
//
//     rapport --experimental-dump-help | manual-pages FOLDER DATE

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let folder = arguments.first, let date = arguments.last else {
  fail("usage: manual-pages FOLDER DATE")
}

do {
  let dump = try JSONValue(parsing: readInput())
  guard let command = dump["command"] else { fail("the input describes no command") }
  for page in ManualPage.pages(of: command, date: date) {
    try page.text.write(toFile: folder + "/" + page.fileName, atomically: true, encoding: .utf8)
  }
} catch {
  fail("\(error)")
}

func readInput() -> [UInt8] {
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65_536)
  while case let count = read(0, &buffer, buffer.count), count > 0 { all += buffer.prefix(count) }
  return all
}

func fail(_ reason: String) -> Never {
  let bytes = Array("manual-pages: \(reason)\n".utf8)
  _ = write(2, bytes, bytes.count)
  exit(1)
}
