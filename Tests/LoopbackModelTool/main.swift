import Glibc
import LoopbackModel

// Serves the loopback model until it is interrupted, for trying the program by hand:
// `swift run loopback-model`, then `rapport chat --base-url URL --model loopback-coach`.
let model = try LoopbackModel()
print(model.baseURL)
fflush(nil)
while true { pause() }
