import Hummingbird
import IncrementalJSON
import Journeys
import Plans
import SessionStore

/// Journeys: list them, start one, and answer its screens. A step that is a conversation is talked
/// through with `POST /chat-stream`, in the same session.
struct JourneyRoutes: Sendable {
  let journeys: JourneyDesk
  let readers: OpenReaders

  func add(to router: RouterGroup<AppContext>) {
    router.get("journeys") { _, context in
      let list = try await journeys.list(for: context.caller)
      return Response(["journeys": list])
    }
    router.post("journeys/:name") { request, context in
      let name = try context.parameters.require("name")
      let isNew = try Self.isNew(try await request.json(upTo: ChatRoutes.mostBytes))
      let permissions = try Self.permissions(request)
      try journeys.conversations.limits.takeJourney(context.caller)
      return Response(
        try await journeys.start(name, new: isNew, permissions, by: context.caller).json)
    }
    router.get("conversations/:id/journey") { request, context in
      let (id, permissions) = (try context.conversation, try Self.permissions(request))
      return Response(
        try await journeys.screen(of: id, permissions, by: context.caller).json)
    }
    router.post("conversations/:id/journey") { request, context in
      let (id, permissions) = (try context.conversation, try Self.permissions(request))
      try await journeys.requireOwn(id, by: context.caller)
      let (input, place) = try Self.input(try await request.json(upTo: ChatRoutes.mostBytes))
      return Response(
        try await journeys.take(input, at: place, in: id, permissions, by: context.caller).json)
    }
    router.get("conversations/:id/journey/stream") { request, context in
      let (id, permissions) = (try context.conversation, try Self.permissions(request))
      let format = try StreamFormat(accepting: request)
      let seat = try readers.enter(context)
      let run = try await journeys.documents(in: id, permissions, by: context.caller)
      return try await seat.response(run, from: 0, format, context)
    }
  }

  private static func isNew(_ json: JSONValue) throws(Problem) -> Bool {
    guard let object = json.objectValue, object.names.allSatisfy({ $0 == "new" }) else {
      throw .badRequest("The body is {} or {\"new\": true}.")
    }
    guard let value = object["new"] else { return false }
    guard let isNew = value.boolValue else {
      throw .badRequest("new must be true or false.", field: "new")
    }
    return isNew
  }

  private static func input(_ json: JSONValue) throws(Problem) -> (JourneyInput, String?) {
    let members = json.objectValue.map(Array.init) ?? []
    let place = json["at"]
    guard place == nil || place?.stringValue != nil else {
      throw .badRequest("at must be a string.", field: "at")
    }
    let rest = JSONValue.object(JSONObject(members.filter { $0.name != "at" }))
    guard let input = JourneyInput(json: rest) else {
      throw .badRequest(
        "Send one of {\"answer\": …}, {\"back\": true}, {\"info\": true} and "
          + "{\"units\": \"metric\"}, with at or without.", field: "answer")
    }
    return (input, place?.stringValue)
  }

  /// What the browser can ask the person for: `?can=microphone,notifications`.
  private static func permissions(_ request: Request) throws(Problem) -> Set<Permission> {
    let names = request.uri.queryParameters["can"].map(String.init) ?? ""
    var permissions: Set<Permission> = []
    for name in names.split(separator: ",") {
      guard let permission = Permission(rawValue: String(name)) else {
        throw .badRequest(
          "can is a list of "
            + Permission.allCases.map(\.rawValue).joined(separator: ", ") + ".", field: "can")
      }
      permissions.insert(permission)
    }
    return permissions
  }
}
