import Signals
import Testing

@testable import Intake

struct PrivateBodyTests {
  @Test(arguments: [
    "My weight is private", "my weight is private.", "I'd rather not say how old I am",
    "my age is none of your business", "My weight? That's private.", "Age: prefer not to say",
    "not telling you my weight 😂", "please don't ask how much I weigh", "I don't share my height",
    "I'm not comfortable sharing my weight or my age", "I keep my weight to myself",
    "let's leave my weight out of this", "I don't want to talk about my body",
    "my weight and age are personal", "I work in an office. My weight is off limits, by the way.",
    "I won't tell you what I weigh", "my age I keep to myself",
    "How old am I? None of your business",
    "I don't want you to know my weight", "you don't need to know my age",
    "my weight is nobody's business but mine", "can we not talk about my weight",
    "my weight isn't something I like to share", "I would rather not get into my weight",
    "weight's a touchy subject", "skip the weight question", "I refuse to say how heavy I am",
    "I\u{2019}d prefer to keep my age private", "no questions about my weight please",
    "I prefer not to give my date of birth", "my weight, let's not go there",
    "Height is 180, weight I won't say", "My age? I'd rather keep it to myself",
    "My weight. Don't ask.",
    "I'd rather you didn't ask about my weight", "my weight is something I'd rather keep to myself",
    "I'm rather private about my weight", "no weight talk, please",
    "I'd rather skip the weight part",
    "the number on the scale stays with me", "I won't answer questions about my age",
    "it's none of your business how old I am", "I don't like talking about my weight",
  ])
  func whatSomebodyKeepsToThemselvesIsHeard(text: String) {
    #expect(PrivateBody.isWithheld(in: text))
  }

  @Test(arguments: [
    "I want to lose weight", "my weight is 80 kg", "my weight is not private",
    "my weight is no secret",
    "I go to a private gym", "I'd rather not lose more weight", "I hate my weight",
    "I don't mind telling you my weight", "I don't know my weight", "her weight is private",
    "my wife's age is private", "her age and weight are private", "not to mention my weight",
    "my weight is a personal struggle", "I'd rather not say",
    "I don't want to talk about weight loss",
    "don't ask me to weigh food", "it's not about my weight", "I'm not happy with my weight",
    "my weight is sensitive to salt", "why don't you ask my weight?",
    "do you need to know my weight?",
    "I skip weight training", "I won't say my weight is fine", "I'd rather not get my weight up",
    "I want to keep my weight down", "I keep my weight out of the obese range", "I'm 42, 81 kg",
    "I don't feel my age", "age 45, own a business", "I'd rather not, my weight is fine", "",
    "I don't like how heavy I am", "I want to give my body a break", "I don't give my body a rest",
    "no weight yet", "my weight is like a secret weapon", "I want my age to be no excuse",
    "my weight is not what I want to talk about first, my knee is",
    "at my age I keep to myself a lot",
    "my personal best at this weight", "private lessons at my age are expensive",
  ])
  func otherTalkOfWeightAndAgeIsNone(text: String) {
    #expect(!PrivateBody.isWithheld(in: text))
  }
}
