import Testing

/// Lines as people type them, and what the log says then: `words => entry; entry`. A line that begins with
/// `lb` is typed by somebody who uses pounds and miles.
enum OrdinaryLines {
  static let all = parsed(
    [strength, loads, endurance, times, days, weights, others, later, asPeopleTell]
      .joined(separator: "\n"))

  struct Line: CustomTestStringConvertible, Sendable {
    var words: String
    var isImperial: Bool
    var entries: [String]

    var testDescription: String { words }
  }

  static func parsed(_ table: String) -> [Line] {
    table.split(separator: "\n").map { line in
      let sides = line.split(separator: "=>", maxSplits: 1, omittingEmptySubsequences: false)
        .map { String($0).trimmingBlanks }
      let isImperial = sides[0].hasPrefix("lb ")
      let entries = (sides.count > 1 ? sides[1] : "").split(separator: ";").map {
        String($0).trimmingBlanks
      }
      return Line(
        words: isImperial ? String(sides[0].dropFirst(3)) : sides[0], isImperial: isImperial,
        entries: entries)
    }
  }

  private static let strength = """
    3x8 rows => rows 3×8
    5 sets of pull ups: 8, 7, 6 => pull-ups 5 sets: 8, 7, 6
    pull ups 8, 7, 6, 6, 5 => pull-ups 8, 7, 6, 6, 5
    pull ups 8,7,6 => pull-ups 8, 7, 6
    pullups 8/7/6 => pull-ups 8, 7, 6
    chin ups 6 6 5 => pull-ups 6, 6, 5
    push-ups: 20, 20, 20 => push-ups 3×20
    did 4 sets of push ups, 15 each => push-ups 4×15
    50 push ups => push-ups 50 repetitions
    100 squats => squats 100 repetitions
    did twenty five push-ups => push-ups 25 repetitions
    2 sets of 10 dips => dips 2×10
    dips 3 x 12 => dips 3×12
    3 sets x 10 reps lunges => lunges 3×10
    lunges 3 sets 12 reps => lunges 3×12
    30 sit ups and 20 burpees => sit-ups 30 repetitions; burpees 20 repetitions
    kettlebell swings 5x20 at 24kg => kettlebell swings 5×20 at 24 kg
    planked 90 seconds => plank 1:30 min
    plank 3x60s => plank 3 sets 1 min
    held a plank for 2 minutes => plank 2 min
    dominadas 8, 7, 6 => pull-ups 8, 7, 6
    3 series de 10 flexiones => push-ups 3×10
    Klimmzüge 8, 7, 6 => pull-ups 8, 7, 6
    3 Sätze Liegestütze mit je 12 => push-ups 3×12

    """

  private static let loads = """
    deadlifted 100kg for 5 => deadlifts 5 repetitions at 100 kg
    deadlift 140 kg x 3 => deadlifts 3 repetitions at 140 kg
    lb bench 135x5, 145x5 => bench press 5 at 135 lb, 5 at 145 lb
    bench 135x5, 145x5 lb => bench press 5 at 135 lb, 5 at 145 lb
    bench 60x8, 60x8, 60x7 => bench press 8, 8, 7 at 60 kg
    lb squats 225x5x3 => squats 3×5 at 225 lb
    squats 3x5x60 => squats 3×5 at 60 kg
    squat 3x5 60 => squats 3×5 at 60 kg
    squat 60kg 3x5 => squats 3×5 at 60 kg
    squats 60 kg 3 sets of 5 => squats 3×5 at 60 kg
    bench: 3 x 8 @ 60 => bench press 3×8 at 60 kg
    bench 60kg 8/8/7 => bench press 8, 8, 7 at 60 kg
    bench 60 kg: 8, 8, 7 => bench press 8, 8, 7 at 60 kg
    benched 80 for 3 => bench press 3 repetitions at 80 kg
    lb bench 3x10 @ 95 => bench press 3×10 at 95 lb
    lb ohp 95x5 => overhead press 5 repetitions at 95 lb
    bench press 62.5 kg 4x6 => bench press 4×6 at 62.5 kg
    3x12 curls with 10kg dumbbells => curls 3×12 at 10 kg
    rows 3x10 at 50kg, curls 3x12 at 12 kg => rows 3×10 at 50 kg; curls 3×12 at 12 kg
    squats 3x5 100kg, bench 3x5 70kg, deadlift 1x5 120kg => squats 3×5 at 100 kg; bench press 3×5 at 70 kg; deadlifts 1×5 at 120 kg
    hit 140 kg on deadlift today => deadlifts at 140 kg
    new pr: squat 120 kg x 1 => squats 1 repetition at 120 kg
    leg press 4x10 @ 120 kg, brutal => leg press 4×10 at 120 kg, felt hard
    lb 3x5 squats at 60 kg => squats 3×5 at 60 kg
    3x5 squats at 135 lb => squats 3×5 at 135 lb
    hip thrusts 3x10 80kg => hip thrusts 3×10 at 80 kg
    lat pulldown 3x12 45kg => lat pulldowns 3×12 at 45 kg
    calf raises 4x15 => calf raises 4×15
    bench 5 reps at 80kg => bench press 5 repetitions at 80 kg
    bench 8 reps, 3 sets, 50 kg => bench press 3×8 at 50 kg
    sentadillas 3x8 con 50 kg => squats 3×8 at 50 kg
    press banca 60 kg 3x8 => bench press 3×8 at 60 kg
    Bankdrücken 60 kg 3x8 => bench press 3×8 at 60 kg
    Kreuzheben 100 kg 5 Wiederholungen => deadlifts 5 repetitions at 100 kg
    Bankdrücken 62,5 kg 3x5 => bench press 3×5 at 62.5 kg

    """

  private static let endurance = """
    swam 40 laps => swim 40 laps
    cycled 20k in 45 min => ride 20 km in 45 min (26.7 km/h)
    rowed 2000m in 8:12 => rowing 2 km in 8:12 min (2:03 min/500 m)
    rowed 2k in 8:12 => rowing 2 km in 8:12 min (2:03 min/500 m)
    5k run 25:30 => run 5 km in 25:30 min (5:06 min/km)
    5k in 25:30 => run 5 km in 25:30 min (5:06 min/km)
    did a 5k in 31 => run 5 km in 31 min (6:12 min/km)
    5k in 25.30 => run 5 km in 25:30 min (5:06 min/km)
    162 steps, no stop =>
    ran 10k in 1:02 => run 10 km in 1:02 h (6:12 min/km)
    ran 10 km in 1:02:30 => run 10 km in 1:02:30 h (6:15 min/km)
    ran a half marathon in 1:58 => run 21.1 km in 1:58 h (5:36 min/km)
    lb ran 3 miles in 27 min => run 3 mi in 27 min (9:00 min/mi)
    lb ran 5k in 31 min => run 5 km in 31 min (6:12 min/km)
    ran a mile in 7:30 => run 1 mi in 7:30 min (7:30 min/mi)
    jogged 4 km => run 4 km
    jogged 3.5k this morning => run 3.5 km
    walked 10,000 steps => walk 10000 steps
    walked 10k steps => walk 10000 steps
    8000 steps today => walk 8000 steps
    swam 1,500 m => swim 1.5 km
    swam 1500m in 35 min => swim 1.5 km in 35 min (2:20 min/100 m)
    biked to work, 8 km => ride 8 km
    biked 12 miles => ride 12 mi
    ran 6x400m => run 6 sets 400 m
    ran for 40 minutes at 6:00/km => run 6.67 km in 40 min (6:00 min/km)
    hiked 12 km in 4 hours => hike 12 km in 4:00 h (20:00 min/km)
    walked the dog 40 min => walk 40 min
    30 min on the rowing machine => rowing 30 min
    corrí 5k en 28:10 => run 5 km in 28:10 min (5:38 min/km)
    nadé 1000 m => swim 1 km
    5 km gelaufen in 30 Minuten => run 5 km in 30 min (6:00 min/km)
    40 km Rad gefahren => ride 40 km

    """

  private static let times = """
    walked an hour => walk 1:00 h
    ran for half an hour => run 30 min
    half an hour of yoga => yoga 30 min
    yoga for an hour and a half => yoga 1:30 h
    1.5 hours of hiking => hike 1:30 h
    1h30 bike ride => ride 1:30 h
    swam 1h 15min => swim 1:15 h
    45 minutes of pilates => Pilates 45 min
    yoga 20m => yoga 20 min
    forty-five minutes of yoga => yoga 45 min
    a quarter of an hour of stretching => stretching 15 min
    stretched 10 mins => stretching 10 min
    two hours of tennis => tennis 2:00 h
    played football for 90 min => football 1:30 h
    spin class 45 min => spinning 45 min
    climbed for 2 hours => climbing 2:00 h
    45 min elliptical => elliptical 45 min
    gym for an hour => strength training 1:00 h
    caminé una hora => walk 1:00 h
    media hora de yoga => yoga 30 min
    corrí hora y media => run 1:30 h
    eine halbe Stunde gelaufen => run 30 min
    eine Stunde Yoga => yoga 1:00 h
    anderthalb Stunden gewandert => hike 1:30 h

    """

  private static let days = """
    couldn't work out, kid was sick => skipped training (kid was sick)
    couldnt train today because work ran late => skipped training (work ran late)
    rest day => skipped training (rest day)
    no gym today => skipped training
    no gym today - too tired => skipped training (too tired)
    didn't make it to the gym, traffic => skipped training (traffic)
    skipped leg day => skipped training
    skipped my run, raining => skipped run (raining)
    missed yoga bc of a meeting => skipped yoga (a meeting)
    too tired to train => skipped training (too tired to train)
    took a rest day => skipped training (rest day)
    took the day off, sore => skipped training (sore)
    bench 3x5 at 60kg, missed the last rep => bench press 3×5 at 60 kg
    skipped breakfast =>
    hoy no fui al gimnasio, mucho trabajo => skipped training (mucho trabajo)
    día de descanso => skipped training (día de descanso)
    heute kein Training, Kind krank => skipped training (Kind krank)
    Ruhetag => skipped training (Ruhetag)

    """

  private static let weights = """
    lb i'm 176 lb => weight 176 lb
    i'm 176 lb => weight 176 lb
    im 80 kg => weight 80 kg
    weight 80.2 => weight 80.2 kg
    80.2 kg this morning => weight 80.2 kg
    lb weighed in at 178 => weight 178 lb
    scale said 79.8 => weight 79.8 kg
    down to 79.8 kg => weight 79.8 kg
    bw 81.4 => weight 81.4 kg
    12 stone 4 this morning => weight 78 kg
    i'm 5 kg lighter =>
    lost 2 kg =>
    peso 80 kg => weight 80 kg
    hoy pesé 79,5 kg => weight 79.5 kg
    wiege 80,2 kg => weight 80.2 kg

    """

  private static let others = """
    I'd like to do 3x8 rows =>
    planning to run for half an hour =>
    135x5, 145x5 =>
    it took an hour to get home =>
    went down the stairs and my knee hurt =>
    watched football and went to bed =>
    got my bike fixed and went home =>
    went for a bike ride => ride
    my trousers ran out, three days in a row =>
    went running late to work =>
    I'm 40 =>
    I'm 5 minutes late =>
    can you plan 5 sets of pull ups? =>
    tomorrow is a rest day =>
    I usually take a rest day on Sunday =>
    ran 400 km =>
    squats 3x5 at 900 kg =>
    benched 60 kg for 3x8 and then ran 2k in 12 min => bench press 3×8 at 60 kg; run 2 km in 12 min (6:00 min/km)
    warmed up 10 min on the bike, then squats 3x5 at 80kg => ride 10 min; squats 3×5 at 80 kg
    easy 5k this morning, 32:10 => run 5 km in 32:10 min (6:26 min/km), felt easy

    """

  /// Written after the reader, to measure it.
  private static let later = """
    did legs today, squats 5x5 @ 80kg => squats 5×5 at 80 kg
    bench press: 10 reps at 50kg, 8 reps at 55kg, 6 reps at 60kg => bench press 10 at 50 kg, 8 at 55 kg, 6 at 60 kg
    went for a 5 mile run => run 5 mi
    30 minute jog before work => run 30 min
    3 rounds of 10 burpees => burpees 3×10
    did some yoga => yoga
    20 min hiit => intervals 20 min
    walked 3 miles with the dog in 50 minutes => walk 3 mi in 50 min (16:40 min/mi)
    4x12 lat pulldowns at 100 lbs => lat pulldowns 4×12 at 100 lb
    ran 7.2km in 42 mins, felt tough => run 7.2 km in 42 min (5:50 min/km), felt hard
    deadlift 3 sets 5 reps 225 lbs => deadlifts 3×5 at 225 lb
    10 pullups, 20 pushups, 30 squats => pull-ups 10 repetitions; push-ups 20 repetitions; squats 30 repetitions
    cycled to work and back, 14km total => ride 14 km
    squatted 100kg for 3 sets of 5 => squats 3×5 at 100 kg
    managed a 2 min plank => plank 2 min
    swam 1km in 25 minutes => swim 1 km in 25 min (2:30 min/100 m)
    20 laps in the pool => swim 20 laps
    hit the gym for 45 mins => strength training 45 min
    skipped the gym, had a migraine => skipped training (had a migraine)
    didn't run today because of the heat => skipped run (the heat)
    missed my workout yesterday => skipped training
    weighed myself: 72.4kg => weight 72.4 kg
    I weigh 165 lbs now => weight 165 lb
    I'm at 83.5 kg => weight 83.5 kg
    OHP 40kg 5/5/4 => overhead press 5, 5, 4 at 40 kg
    incline bench 3x10 with 20kg dumbbells => bench press 3×10 at 20 kg
    push ups 3 sets to failure: 18, 14, 11 => push-ups 18, 14, 11
    leg press 180kg x10 x3 => leg press 3×10 at 180 kg
    hour long bike ride => ride 1:00 h
    played tennis for an hour and 15 minutes => tennis 1:15 h
    5 km row in 22:30 => rowing 5 km in 22:30 min (2:15 min/500 m)
    12k steps => walk 12000 steps
    hiked for 3 hours on saturday => hike 3:00 h
    ran 800m x 5 => run 5 sets 800 m
    did my 10k, 58 minutes => run 10 km in 58 min (5:48 min/km)
    curls 12kg 3x10 each arm => curls 3×10 at 12 kg
    took it easy today, just 20 minutes of stretching => stretching 20 min, felt easy
    felt sick so no training => skipped training (felt sick)
    I want to do 50 pushups a day =>
    my best bench was 100 kg years ago =>
    heute 5x5 Kniebeugen mit 80 kg => squats 5×5 at 80 kg
    45 Minuten Fahrrad gefahren => ride 45 min
    hoy corrí 8 km en 45 minutos => run 8 km in 45 min (5:38 min/km)
    hice 3 series de 12 sentadillas con 40 kg => squats 3×12 at 40 kg
    Squats: 3x5@100 => squats 3×5 at 100 kg
    bench 5x5 80 => bench press 5×5 at 80 kg
    ran 3.1 mi in 27:45 => run 3.1 mi in 27:45 min (8:57 min/mi)
    tempo run 6k 30 min => run 6 km in 30 min (5:00 min/km)
    1 hour yoga class => yoga 1:00 h
    zumba class for an hour => dancing 1:00 h
    push day: bench 3x8 60kg, ohp 3x8 35kg, dips 3x10 => bench press 3×8 at 60 kg; overhead press 3×8 at 35 kg; dips 3×10
    deadlift 1rm 150kg => deadlifts 1 repetition at 150 kg
    no workout today, just tired => skipped training (just tired)
    couldn't make it to the pool => skipped training
    I skipped yoga since I had a meeting => skipped yoga (I had a meeting)
    75.3 kg => weight 75.3 kg
    weight this morning: 75.3 => weight 75.3 kg
    I am down to 180 lbs => weight 180 lb
    rode my bike for 1.5h => ride 1:30 h
    40min bike => ride 40 min
    bike 25km 1h05 => ride 25 km in 1:05 h (23.1 km/h)
    3x10 push-ups, 3x10 sit-ups, 3x30s plank => push-ups 3×10; sit-ups 3×10; plank 3 sets 30 s
    did 50 kettlebell swings w/ 16kg => kettlebell swings 50 repetitions at 16 kg
    walked about 2 hours => walk 2:00 h
    walked 6,000 steps at lunch => walk 6000 steps
    ran 10 km @ 5:30/km => run 10 km in 55 min (5:30 min/km)
    ran 5 km, 27 minutes 30 seconds => run 5 km in 27:30 min (5:30 min/km)
    two mile walk => walk 2 mi
    half marathon in 2:05:30 => run 21.1 km in 2:05:30 h (5:57 min/km)
    swam 50 lengths => swim 50 laps
    15 minutes on the elliptical then 20 min weights => elliptical 15 min; strength training 20 min
    squats 60kgx5, 70kgx5, 80kgx3 => squats 5 at 60 kg, 5 at 70 kg, 3 at 80 kg
    front squats 4x6 @ 70kg rpe 8 => squats 4×6 at 70 kg, felt hard
    chin-ups bodyweight 4x6 => pull-ups 4×6
    bent over rows 4x8 at 50 kg. => rows 4×8 at 50 kg
    trained legs for 50 min => strength training 50 min
    easy jog, 25 mins => run 25 min, felt easy
    rest day. => skipped training (rest day)
    I had to skip my swim, pool was closed => skipped swim (pool was closed)
    Did you know I ran a marathon in 2010? =>
    my knee hurts when I squat =>
    3 Sätze Kreuzheben à 5 mit 100 kg => deadlifts 3×5 at 100 kg
    nicht trainiert, war krank => skipped training (war krank)
    bin 5 km in 28:30 gelaufen => run 5 km in 28:30 min (5:42 min/km)
    caminé 40 minutos con el perro => walk 40 min
    no entrené hoy porque llovía => skipped training (llovía)
    nadé 30 largos => swim 30 laps
    press de banca 4x8 60 kilos => bench press 4×8 at 60 kg
    crushed 4 sets of 8 squats at 185 lbs => squats 4×8 at 185 lb
    bench 225x3x3 lbs => bench press 3×3 at 225 lb
    worked up to a 140kg deadlift single => deadlifts 1 repetition at 140 kg
    leg day: squats 5x5 100kg, leg curls 3x12 35kg => squats 5×5 at 100 kg; leg curls 3×12 at 35 kg
    30min easy spin => spinning 30 min, felt easy
    jogged for about 35 minutes around the lake => run 35 min
    took the dog out for a 3km walk => walk 3 km
    did 15k on the bike in half an hour => ride 15 km in 30 min (30 km/h)
    ran intervals 8x400m => intervals 8 sets 400 m
    pushups 25 25 20 => push-ups 25, 25, 20
    100 crunches => sit-ups 100 repetitions
    did yoga with adriene 22 min => yoga 22 min
    swam 20x50m => swim 20 sets 50 m
    squat 3x5 (70kg) => squats 3×5 at 70 kg
    3 x 12 goblet squats w/ 16 kg => squats 3×12 at 16 kg
    bicep curls 3x10, 10 kg => curls 3×10 at 10 kg
    10 min warm up on the rower => rowing 10 min
    erg 5k 21:40 => rowing 5 km in 21:40 min (2:10 min/500 m)
    45 mins of weights => strength training 45 min
    played basketball 2h => basketball 2:00 h
    bouldering 90 mins => climbing 1:30 h
    got 9k steps in => walk 9000 steps
    sick today, no training => skipped training (sick today)
    skipping today, too tired => skipped training (too tired)
    couldn't run, ankle hurts => skipped run (ankle hurts)
    I didn't exercise today => skipped training
    my weight today is 92.6kg => weight 92.6 kg
    weigh-in 185.4 lbs => weight 185.4 lb
    scale: 70.1 => weight 70.1 kg
    i weigh 11 stone 7 => weight 73 kg
    10 mile bike ride in 40 min => ride 10 mi in 40 min (15 mph)
    Ran my first 10k!! 1:03:20 => run 10 km in 1:03:20 h (6:20 min/km)
    sunday long run 18 km => run 18 km
    hip thrusts 80kg 10 10 8 => hip thrusts 10, 10, 8 at 80 kg
    shoulder press 3x8 @ 17.5kg each => overhead press 3×8 at 17.5 kg
    2 rounds: 20 squats, 10 push ups => squats 2×20; push-ups 2×10
    gestern 8 km gejoggt => run 8 km
    2 Stunden Tennis gespielt => tennis 2:00 h
    Klimmzüge 3x6 => pull-ups 3×6
    heute nur 20 Minuten gedehnt => stretching 20 min
    ayer fui al gimnasio una hora => strength training 1:00 h
    sentadillas 60 kg 5x5, muy duro => squats 5×5 at 60 kg, felt hard
    hoy descanso =>
    Bench today. 3x8 at 40 kg. =>
    Did the bench. 3x8 at 40 kg. => bench press 3×8 at 40 kg
    Thanks, I'll try that tomorrow =>
    how many sets should I do? =>
    My goal is to run a half marathon in October =>
    I have 45 minutes on Tuesdays and Thursdays =>
    I'm 34 and work at a desk all day =>
    I slept 6 hours last night =>
    I drank 2 liters of water =>
    ate 1800 calories yesterday =>
    my back is a bit stiff after the deadlifts =>
    can I swap squats for leg press? =>
    I could probably do 3x8 next time =>
    The gym is 10 minutes away =>
    I lost 3 lbs this week =>
    I'm up 2 kg since January =>
    I used to play football for 2 hours every Sunday =>
    it's been 3 days since I trained =>
    I have a half marathon in 6 weeks =>
    I'm not sure 60 kg is right for me =>
    My wife ran 10k yesterday =>
    my son is 12 kg =>
    The bench is broken at my gym =>
    how was I supposed to do 5 sets of pull ups? =>
    I bought a rowing machine =>
    It took me 20 minutes to warm up =>
    I've been running for 3 years =>
    I ran out of time =>
    I run about 20 km a week =>
    I did 3 sets of squats but no deadlifts => squats 3 sets
    I did squats and bench but forgot the weights => squats; bench press
    legs are sore from the 5k on Sunday =>
    Great session! Squats 3x5 at 70 kg and felt strong => squats 3×5 at 70 kg
    yesterday I managed 12 push ups in a row => push-ups 12 repetitions
    finally benched 100 kg! => bench press at 100 kg
    did the first workout, 3x10 squats and 20 min walk => squats 3×10; walk 20 min
    Done! 30 min run this morning => run 30 min
    no time for the gym this week =>
    the run was awful, 5k in 35 min => run 5 km in 35 min (7:00 min/km)
    I only managed 2 sets of squats at 60 => squats 2 sets at 60 kg
    only did half of it: 15 min on the bike => ride 15 min
    didn't sleep well but did 20 min of yoga => yoga 20 min
    couldn't finish the last set of bench =>
    I was going to run but it rained =>
    my wife and I ran 10k => run 10 km
    ran 5k with my wife => run 5 km
    3x5 deadlift @ 110 => deadlifts 3×5 at 110 kg
    benched 5x5 @ 70kg, felt good => bench press 5×5 at 70 kg
    squat day: 80kg x 5 x 5 => squats 5×5 at 80 kg
    pull ups: 10, 8, 6 with a 5 kg vest => pull-ups 10, 8, 6 at 5 kg
    lunges with 12 kg, 3 sets of 12 => lunges 3×12 at 12 kg
    4 x 400m run => run 4 sets 400 m
    ran 21.1 km in 1h 52min => run 21.1 km in 1:52 h (5:18 min/km)
    treadmill 5k 29 min => run 5 km in 29 min (5:48 min/km)
    walked home from work, 40 minutes => walk 40 min
    bike commute 2x7km => ride 2 sets 7 km
    45 min peloton ride => ride 45 min
    hot yoga 75 min => yoga 1:15 h
    pilates for an hour => Pilates 1:00 h
    went swimming for 45 min => swim 45 min
    did 1.5 miles on the treadmill in 14:20 => run 1.5 mi in 14:20 min (9:33 min/mi)
    hiked 9 miles, legs are dead => hike 9 mi
    push press 3x5 40kg => push press 3×5 at 40 kg
    face pulls 3x15 => face pulls 3×15
    leg extensions 3x12 40 kg, leg curls 3x12 30 kg => leg extensions 3×12 at 40 kg; leg curls 3×12 at 30 kg
    30 kb swings at 20 kg => kettlebell swings 30 repetitions at 20 kg
    1 min plank x 3 => plank 3 sets 1 min
    2 x 20 sit-ups => sit-ups 2×20
    skipped it, too much work => skipped training (too much work)
    no run today because my calf is tight => skipped run (my calf is tight)
    had to cancel yoga => skipped yoga
    I was ill so I didn't train => skipped training (I was ill)
    took today off => skipped training (took today off)
    weigh in: 84.1 => weight 84.1 kg
    81 kilos this morning => weight 81 kg
    I'm now 79 kg => weight 79 kg
    boxing 1h => boxing 1:00 h
    jumped rope for 10 minutes => jump rope 10 min
    rowed 500m x 4 => rowing 4 sets 500 m
    overhead press 30kg 8 reps 3 sets => overhead press 3×8 at 30 kg
    chest press? no, bench 3x8 50kg => bench press 3×8 at 50 kg
    corrí media hora => run 30 min
    peso muerto 3x5 80 kg => deadlifts 3×5 at 80 kg
    hoy 30 min de bici => ride 30 min
    20 Minuten gejoggt => run 20 min
    Beinpresse 3x10 100 kg => leg press 3×10 at 100 kg
    eine Stunde geschwommen => swim 1:00 h
    3 sets of 12 cable crossovers => cable crossovers 3×12
    push ups x 20 => push-ups 20 repetitions
    3x8 =>
    """

  private static let asPeopleTell = """
    pulled a 140 deadlift single => deadlifts 1 repetition at 140 kg
    bench 100 for a triple => bench press 3 repetitions at 100 kg
    1RM squat 140 => squats 1 repetition at 140 kg
    single leg press 3x10 60 kg => leg press 3×10 at 60 kg
    5x5 squats 60, 65, 70, 75, 80 => squats 5 at 60 kg, 5 at 65 kg, 5 at 70 kg, 5 at 75 kg, 5 at 80 kg
    squats 3x5 at 60/65/70 kg => squats 5 at 60 kg, 5 at 65 kg, 5 at 70 kg
    leg press 120 3x10, calves 3x15 => leg press 3×10 at 120 kg; calf raises 3×15
    leg press 120 3x10, face pulls 3x15 => leg press 3×10 at 120 kg; face pulls 3×15
    squats 3x5 100 kg, back-off 80 kg 2x8 => squats 5 at 100 kg, 5 at 100 kg, 5 at 100 kg, 8 at 80 kg, 8 at 80 kg
    ran 30 mins at 8.5 km/h => run 4.25 km in 30 min (7:04 min/km)
    walked 1 hour at 4 mph => walk 4 mi in 1:00 h (15:00 min/mi)
    biked to work 8k each way => ride 16 km
    walked 20 min each way => walk 40 min
    rode 30 km, 8 km each way on gravel => ride 30 km
    walked 5 miles an hour for 30 min => walk 2.5 mi in 30 min (12:00 min/mi)
    hiked 15 km with 900 m of climbing => hike 15 km
    Wanderung 12 km, 800 Höhenmeter => hike 12 km
    warm up 5 min, then squats 3x5 at 60 kg => squats 3×5 at 60 kg
    5 min warm up, ran 5k in 25 min => run 5 km in 25 min (5:00 min/km)
    slept 8 hours and ran 5k => run 5 km
    fasted 48h and ran 10k => run 10 km
    couch to 5k week 3 day 2 => run
    ran a 5:30 mile => run 1 mi in 5:30 min (5:30 min/mi)
    ran 3 miles at 8:30 mile pace => run 3 mi in 25:30 min (8:30 min/mi)
    ran for 45 => run 45 min
    my squat 1RM is 140 =>
    ran 10k on Saturday, skipped Sunday => run 10 km; skipped training
    """
}

extension String {
  fileprivate var trimmingBlanks: String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }
}
