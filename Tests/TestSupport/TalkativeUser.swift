/// Somebody who says enough in five messages to be understood.
public enum TalkativeUser {
  public static let lines = [
    "I want to lose 20 pounds by June so I can keep up with my kids",
    "I have no time, I work 60 hours a week. My knee hurts when I run",
    "I love swimming and I hate burpees. There is a pool next door",
    "I walk 4000 steps a day. I could train on Tuesday and Thursday mornings for 30 minutes",
    "Be blunt with me and check in once a week. I eat fast food most days",
  ]
}
