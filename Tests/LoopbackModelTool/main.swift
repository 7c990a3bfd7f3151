import Glibc
import LoopbackModel

// Serves the loopback model until it is interrupted, for trying the program by hand.
guard CommandLine.arguments.count == 1 else {
  print(
    """
    Serves a scripted model on this machine, in both wire formats, and prints its address.

      loopback-model
      rapport chat --base-url ADDRESS --model \(LoopbackModel.modelName)
    """)
  exit(CommandLine.arguments.dropFirst() == ["--help"] ? 0 : 64)
}
let model = try LoopbackModel()
print(model.baseURL)
fflush(nil)
while true { pause() }
