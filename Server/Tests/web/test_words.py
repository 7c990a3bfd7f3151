"""The page's own words, in every language that it offers."""

import re

import pytest

# Words that only somebody says who has decided between du and Sie, or tú and usted.
ADDRESS = {
    "de": r"\b(du|dich|dir|dein\w*|Ihnen|Ihr\w*)\b",
    "es": r"\b(tú|tus?|te|ti|contigo|usted(es)?)\b",
}


@pytest.fixture
def words(coach, visit):
    return visit(coach).open().page.evaluate("""async () => {
      const [{ words }, { cardWords }] = await Promise.all([import("/words.js"), import("/cardwords.js")]);
      return { "words.js": words, "cardwords.js": cardWords };
    }""")


def placeholders(text):
    return sorted(set(re.findall(r"\{\w+\}", text)))


def test_no_language_lacks_words(words):
    offered = {code for languages in words.values() for code in languages}
    faults = []
    for file, languages in words.items():
        english = languages["en"]
        for code in sorted(offered):
            own = languages.get(code, {})
            faults += [f"{file}: {code} lacks {key}" for key in english if not own.get(key)]
            faults += [f"{file}: {code} has {key}, which English lacks" for key in own if key not in english]
            faults += [f"{file}: {code}'s {key} has other placeholders" for key in own
                       if placeholders(own[key]) != placeholders(english.get(key, own[key]))]
    assert faults == []


def test_the_menu_offers_every_language(words, coach, visit):
    page = visit(coach).open().page
    offered = page.locator("#language option").evaluate_all(
        "(options) => options.map((option) => [option.value, option.lang, option.textContent])")
    assert offered == [[code, code, own["name"]] for code, own in words["words.js"].items()]


def test_nobody_is_called_du_or_tu(words):
    found = [f"{file}: {code}'s {key}: {text}" for file, languages in words.items()
             for code, address in ADDRESS.items() for key, text in languages[code].items()
             if re.search(address, text, re.IGNORECASE if code == "es" else 0)]
    assert found == []
