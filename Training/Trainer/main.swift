import Glibc

do {
  try TrainingCommand(CommandLine.arguments).run()
} catch {
  let message = Array("train-scorer: \(error)\n".utf8)
  write(STDERR_FILENO, message, message.count)
  exit(1)
}
