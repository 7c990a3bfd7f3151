import Coaching
import HealthRecords
import IncrementalJSON
import Testing

/// Whose training words tell of, and whether it was done.
struct OwnTrainingTests {
  @Test(arguments: OrdinaryLines.parsed(Self.others + "\n" + Self.undone))
  func whatOthersDidOrNobodyDidIsntNoted(_ line: OrdinaryLines.Line) throws {
    #expect(try noted(line.words) == line.entries)
  }

  @Test(arguments: OrdinaryLines.parsed(Self.own))
  func ownTrainingIsNoted(_ line: OrdinaryLines.Line) throws {
    #expect(try noted(line.words) == line.entries)
  }

  private static let others = """
    Yesterday my wife ran 10k in 50 min =>
    Today my son swam 40 laps =>
    Tom ran a marathon in 3:20 =>
    gestern ist meine Frau 10 km gelaufen =>
    heute hat mein Bruder 5x5 Kniebeugen mit 100 kg gemacht =>
    gestern lief meine Frau 10 km in 50 Minuten =>
    Anna ist 10 km gelaufen =>
    ayer mi mujer corrió 10k en 50 min =>
    hoy mi hijo nadó 40 largos =>
    Ana corrió 10k en 48 min =>
    Tom squatted 140 kg for 3 =>
    Yesterday Priya swam 2 km =>
    my sister benched 60 kg and ran 5k =>
    this morning my brother did 3x8 rows at 50 kg =>
    so proud, my daughter ran 5k in 28 min =>
    my wife and my son ran 5k =>
    she ran 5k in 25 min =>
    tom ran 10k yesterday =>
    anna ist 10 km gelaufen =>
    grandma walked 2 km =>
    my trainer wants me to do 3x10 squats at 60 kg =>
    my coach told me to run 5k =>
    mein Trainer möchte, dass ich 3x10 Kniebeugen mit 60 kg mache =>
    Thurs ran 5k => run 5 km
    Barefoot ran 5k => run 5 km
    Yay ran 5k => run 5 km
    Lunchtime swam 1 km => swim 1 km
    ran 5k, want to do 10k next => run 5 km
    ran 5k, next week 10k => run 5 km
    My coach had me run 5k => run 5 km
    Tom and I ran 5k => run 5 km
    on Monday my friend rode 40 km =>
    because my wife ran 10k =>
    my dad walked 10,000 steps =>
    mein Sohn ist heute 1 km geschwommen =>
    meine Schwester hat 3x8 Kniebeugen mit 40 kg gemacht =>
    My trainer lifted 200 kg =>
    Marie rode 60 km yesterday =>
    mi hermana hizo 3x10 sentadillas con 30 kg =>
    my buddy did 5x5 squats at 120 kg =>
    my son weighed 30 kg =>
    my wife skipped her run =>
    my wife ran 10k and I ran 5k => run 5 km
    Tom ran 10k, I ran 6k => run 6 km
    I squatted 100 kg and my son ran 5k => squats at 100 kg
    """

  private static let undone = """
    I did not run 5k =>
    I didn't squat 3x5 at 60 kg =>
    haven't benched 100 kg yet =>
    failed to squat 100 kg =>
    bin heute nicht 5 km gelaufen =>
    ich bin keine 5 km gelaufen =>
    ich habe die Kniebeugen 3x5 nicht gemacht =>
    hoy no he corrido 5 km =>
    no corrí 5 km =>
    no hice 3x5 sentadillas con 60 kg =>
    I couldn't bench 80 kg =>
    I have not swum 1 km yet, only 500 m =>
    didn't do 3x10 push-ups =>
    we haven't rowed 2k =>
    wasn't able to deadlift 140 kg =>
    I wanted to run 5k =>
    tried to squat 100 kg =>
    meant to swim 40 laps =>
    ich wollte 5 km laufen =>
    quería correr 5 km =>
    wanted to run 5k but did 3k => run 3 km
    ich wollte 5 km laufen, hab aber nur 3 km geschafft => run 3 km
    quería correr 5 km pero hice 3 km => run 3 km
    planned 5k but ran 3k => run 3 km
    wanted to swim 1 km but did 800 m => swim 800 m
    I usually run 5k but today I ran 8k => run 8 km
    didn't run 5k but did 3k => run 3 km
    didn't run but walked 5 km => skipped run; walk 5 km
    ran less than 5k => run
    ran almost 5k => run
    ran nearly a half marathon => run
    ran 5k in under 30 min => run 5 km
    fast 5 km gelaufen => run
    heute knapp 5 km gelaufen => run
    corrí casi 5 km => run
    corrí menos de 5 km => run
    intended 10k, managed 7k => run 7 km
    went for 10k, only managed 7 km => run 7 km
    intended 10k, managed 7 => run 7 km
    planned 10k, did 7k => run 7 km
    wanted 10k, got 7k => run 7 km
    aimed for 10k, ended up with 7 km => run 7 km
    set out to run 10k in 50 min, only made it 7 km => run 7 km
    went for 5x5 squats at 100 kg, only managed 3x5 => squats 3×5 at 100 kg
    tried for 100 kg on the bench, only got 90 kg => bench press at 90 kg
    wollte 10 km laufen, nur 7 km geschafft => run 7 km
    quería correr 10 km, solo hice 7 km => run 7 km
    went for a 10k run => run 10 km
    went for a walk, did 5 km => walk 5 km
    ran 10k as planned => run 10 km
    ran 5k, planned 10k => run 5 km
    ran 10k, managed 3x5 squats after => run 10 km; squats 3×5
    almost benched 100 kg =>
    nearly deadlifted 140 kg =>
    casi corrí 5 km =>
    almost finished my book, ran 5k => run 5 km
    almost threw up, but ran 5k => run 5 km
    would have skipped but ran 5k => run 5 km
    almost skipped today, but ran 5k => run 5 km
    nearly skipped it, ran 5k anyway => run 5 km
    raised 300 pounds for charity =>
    raised 300 pounds on my 10k run => run 10 km
    paid 50 pounds for the gym, did 3x5 squats at 60 kg => squats 3×5 at 60 kg
    won 100 pounds, ran a half marathon => run 21.1 km
    bench pressed 300 pounds => bench press at 300 lb
    raised my squat to 100 kg => squats at 100 kg
    """

  private static let own = """
    ran 5k with my wife => run 5 km
    ran 10k with my wife in 50 min => run 10 km in 50 min (5:00 min/km)
    squatted 100 kg while my son watched => squats at 100 kg
    my wife and I ran 10k => run 10 km
    me and my wife ran 10k => run 10 km
    Tom and I ran 5k => run 5 km
    my coach had me do 3x8 rows at 40 kg => rows 3×8 at 40 kg
    my wife says I ran 5k => run 5 km
    my wife was sick, I ran 5k => run 5 km
    ran 5k, my son joined => run 5 km
    walked the dog 3 km => walk 3 km
    swam 1 km without my brother => swim 1 km
    Finally ran 5k => run 5 km
    Also did 3x10 push-ups => push-ups 3×10
    Slowly ran 5k => run 5 km
    Just rode 20 km => ride 20 km
    Monday ran 5k => run 5 km
    Squats 3x5 at 60 kg, didn't feel easy => squats 3×5 at 60 kg, felt hard
    squats 3x5 at 60 kg, failed the last rep => squats 3×5 at 60 kg
    ran 5k and didn't stop => run 5 km
    ran 5k but didn't squat => run 5 km
    ran more than 5k => run 5 km
    ran about 5k => run 5 km
    ran a fast 5k this morning, 22:10 => run 5 km in 22:10 min (4:26 min/km)
    Kniebeugen 3x5 mit 60 kg, nicht schlecht => squats 3×5 at 60 kg
    mit meiner Frau 10 km gelaufen => run 10 km
    bin mit meinem Bruder 5 km gelaufen => run 5 km
    hoy he corrido 5 km =>
    corrí 5 km con mi mujer => run 5 km
    mi mujer y yo corrimos, corrí 5 km => run 5 km
    5 km gelaufen, meine Frau war dabei => run 5 km
    beat my brother, ran 5k in 24 min => run 5 km in 24 min (4:48 min/km)
    pushed my son in the stroller and ran 5k => run 5 km
    ran 5k for my wife => run 5 km
    didn't sleep well, ran 3k => run 3 km
    haven't run in weeks, ran 3k today => run 3 km
    no time for weights but I ran 5k => run 5 km
    I did not skip today, I ran 4k => run 4 km
    didn't run today because of the heat => skipped run (the heat)
    skipped my run because my son was sick => skipped run (my son was sick)
    """

  private func claimed(
    _ quote: String, _ unit: String, _ value: Double, in message: String? = nil,
    what: String = "done"
  ) throws -> [String] {
    let claim: JSONValue = [
      "what": .string(what), "activity": "running", "day": "today", "turn": 1,
      "figures": [["unit": .string(unit), "value": JSONValue(value) ?? .null]],
      "effort": "unsaid", "note": "", "quote": .string(quote),
    ]
    let text = EntryText(try pack())
    return try EntryCheck(pack(), today: monday).notes([claim], in: message) {
      .init(turn: $1, text: $0)
    }.map { if case .new(let entry) = $0 { text.asTold(entry) } else { "" } }
  }

  @Test(arguments: [
    "my wife ran 10 km", "Yesterday my wife ran 10 km", "I did not run 10 km today",
    "Tom ran 10 km", "wanted to run 10 km", "bin heute nicht 10 km gelaufen",
    "gestern ist meine Frau 10 km gelaufen", "mi mujer corrió 10 km", "no corrí 10 km",
    "wanted to run 10 km but did 3 km",
  ])
  func aModelsClaimOfItIsntEither(_ quote: String) throws {
    #expect(try claimed(quote, "km", 10) == [])
  }

  /// A quote that leaves out whose it was.
  @Test func aClaimIsHeldAgainstTheWholeSentence() throws {
    #expect(try claimed("ran 10 km", "km", 10, in: "Hi! My wife ran 10 km today.") == [])
    #expect(try claimed("10 km", "km", 10, in: "I did not run 10 km") == [])
    #expect(try claimed("ran 10 km", "km", 10, in: "Hi! I ran 10 km today.") == ["run 10 km"])
    #expect(
      try claimed("I ran 5 km", "km", 5, in: "My wife ran 10 km and I ran 5 km") == ["run 5 km"])
    #expect(try claimed("3 km", "km", 3, in: "wanted to run 5 km but did 3 km") == ["run 3 km"])
    #expect(try claimed("ran almost 10 km", "km", 10) == ["run"])
    #expect(try claimed("my wife ran 10 km", "km", 10, what: "skipped") == [])
  }
}
