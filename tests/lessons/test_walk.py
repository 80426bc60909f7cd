"""No word of the walk comes before the step that explains it. Below a lesson's page, its words have a sentence and a link to
their step. The lesson's sheet uses known words and the settings' numbers."""

import re
from base64 import b64decode
from collections.abc import Iterator

import pytest
import segno

from components.app import lesson
from components.menu import FOLDERS
from components.pages.questions.entries import of_terms
from components.widgets.glossary import row
from headcount.commands import main
from headcount.export import browser
from headcount.trained import store
from headcount.trained.network import forward
from headcount.trained.sentence import DEFAULT, DEFAULT_TEXT, QUESTIONS
from lessons import glossary, sheet
from lessons.glossary import GLOSSARY, ON_PAGE, step_of
from lessons.walk import STEPS, WalkStep
from tests.app.driver import open_page
from tests.export import sheets

#: What everybody knows who met the subject yesterday. Any other word is a term, and a step has to introduce it.
EVERYDAY = """
a added adds again all almost alone always and another answer answers anything are around as ask asked asks at be because become
becomes before below best blend blends both brings but by can cannot class column columns comes content copied count counts cover
cut did differ differently divide divided do does each either every explained far few first fixed follows for found four fourth
from get gets give gives grows guess hands has have here holds how hurry i if in into is it its keeps know label large last law
let library lie lines long look looking looks lost machines makes many mean means meets minute mistake more most mostly must names
no nobody not nothing now number numbers of on once one only or order other out own pale part parts people person place places
play point press pressed products put question questions quiz reads reason results right row rows same say says seen sentence
sentences set sets several share she side size sizes smaller so somebody something split stand stands stays still such suit sum
sums surprised table tables take takes tell test thanks that the their them then there these thin thinner this three through time
times to together too tried turn turns twice two up used uses usual wait was way ways what when where which who whole whom wide
width with without word words would you your
"""
#: These, and the words of the sentence, which the first step shows.
KNOWN = {*EVERYDAY.split(), *DEFAULT_TEXT.lower().split()}
#: A step's own computed numbers and words, in braces.
COMPUTED = re.compile(r"\{\w+\}")
WORD = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)?")


def text_of(step: WalkStep) -> str:
    """The step's texts. Its picture's words are tested in tests/app/test_present.py."""
    return f"{step.headline} {step.says} {step.rest}"


def words_of(text: str) -> Iterator[str]:
    """Every word of a step's texts, without computed numbers."""
    yield from WORD.findall(COMPUTED.sub(" ", text).replace("’s", ""))


def plain(word: str, terms: set[str]) -> str:
    """The word as it is in the table of terms."""
    for form in (word, word.lower(), word.lower().removesuffix("s"), word.lower().removesuffix("es")):
        if form in terms:
            return form
    roots = {
        "queries": "query",
        "biases": "bias",
        "matrices": "matrix",
        "mixed": "mix",
        "mixes": "mix",
        "trained": "training",
        "keys": "key",
    }
    return roots.get(word.lower(), word.lower())


def known_at(number: int) -> set[str]:
    """The words that a reader knows at a step."""
    return KNOWN.union(*(step.terms for step in STEPS[:number]))


def too_early(steps: tuple[WalkStep, ...]) -> list[str]:
    """A sentence for each word that is used before a step introduces it, or that no step introduces."""
    terms = {term for step in steps for term in step.terms}
    known, found = {*KNOWN}, []
    for number, step in enumerate(steps, 1):
        known |= {*step.terms}
        for word in words_of(f"{text_of(step)} {step.note}"):
            if plain(word, terms) not in known:
                found.append(f"step {number} says {word!r}, which no step up to then explains")
    return found


def test_no_word_comes_before_it_is_explained():
    assert too_early(STEPS) == []


@pytest.mark.parametrize("number", range(1, len(STEPS) + 1))
def test_a_step_says_each_term_that_it_explains(number: int):
    step = STEPS[number - 1]
    terms = {term for other in STEPS for term in other.terms}
    assert {*step.terms} - {plain(word, terms) for word in words_of(text_of(step))} == set()


def test_no_term_is_explained_twice_or_counts_as_known_from_the_start():
    terms = [term for step in STEPS for term in step.terms]
    assert len(terms) == len({*terms})
    assert {*EVERYDAY.split()} & {plain(term, {*EVERYDAY.split()}) for term in terms} == set()


def test_every_guess_is_answered_by_the_step_after_it():
    asked = {number + 1: step.asks for number, step in enumerate(STEPS) if step.asks}
    assert asked == {number: step.answers for number, step in enumerate(STEPS) if step.answers}


def test_the_walk_takes_about_four_minutes_aloud():
    """Speech to a class has 150 words a minute. Half of the time is for the pictures."""
    words = sum(len(list(words_of(f"{step.headline} {step.says}"))) for step in STEPS)
    assert 14 <= len(STEPS) <= 16
    assert words < 4 * 150


LESSON = [page for page in FOLDERS[""] if page != "quiz"]


def test_every_page_of_the_lesson_has_one_row_of_at_most_eight_words():
    assert [*ON_PAGE] == LESSON
    for page in LESSON:
        assert 0 < len({*ON_PAGE[page]}) == len(ON_PAGE[page]) <= 8
        assert all(f"step={step_of(word)}" in row(page) for word in ON_PAGE[page])
    assert {word for words in ON_PAGE.values() for word in words} == {*GLOSSARY}


@pytest.mark.parametrize("word", GLOSSARY)
def test_a_word_is_one_short_sentence_and_its_step_shows_it(word: str):
    sentence = GLOSSARY[word]
    assert re.fullmatch(r"[A-Z][^.]*\.", sentence)
    assert len(sentence.split()) <= 20
    step = STEPS[step_of(word) - 1]
    assert {"mask": "softmax", "d_{model}": "X", "key size": "key_dim"}.get(word, glossary.name_as_typed(word)) in step.terms


@pytest.mark.parametrize("page", [LESSON[0], LESSON[-1]])
def test_the_page_shows_its_row_as_one_element_below_all_else(page: str):
    said = [one.proto.body for one in open_page(page).main.get("html") if "glossary" in one.proto.body]
    assert said == [row(page)]


def test_other_pages_and_the_walk_have_none():
    assert row("quiz") == ""
    assert not [one for one in open_page("heads", present=1).main.get("html") if "glossary" in one.proto.body]


@pytest.mark.parametrize(("asked", "word"), [("what is a head", "head"), ("softmax", "softmax"), ("what is a bias", "bias")])
def test_the_search_says_the_same_sentence(asked: str, word: str):
    assert [item.answer for item in of_terms(asked)] == [GLOSSARY[word]]


def test_the_answers_are_the_layers():
    """By hand: 4 · 16 · 16 + 4 · 16; 8 heads of 4 in Keras: 4 · 16 · 32 + 3 · 32 + 16."""
    said = re.sub(r"<style>.*?</style>|<[^>]*>", " ", lesson.page(), flags=re.DOTALL)
    assert "all heads share one width, 16: 4 heads have 1,088 parameters. In Keras each head keeps" in said
    assert "a width of its own, 4: 4 heads have 1,088. How many have 8 heads that share one width, and 8 heads in Keras?" in said
    assert "1,088: the same matrices, cut another way, 4 × 256 + 64. And 2,160: every head brings" in said
    assert "its own slices, 4 × 512 + 112." in said
    assert "Each row of X has 16 numbers. With 4 heads: how many numbers of a row does one head look at?" in said


def test_its_foot_says_whose_the_numbers_are_and_no_symbol_is_spelt_with_a_line():
    assert "trained · Headcount<" in re.search("<footer>(.*?)</footer>", lesson.page())[1]
    text = re.sub(r' (alt|src)="[^"]*"', "", lesson.page())
    assert "<sub>Q</sub>" in text
    assert not re.search(r"\b\w_\w", text)


def test_its_table_has_a_row_for_each_convention():
    drawn = b64decode(re.findall('<figure><img src="[^"]*base64,([^"]*)"', lesson.page())[0]).decode()
    assert {"The 2017 Transformer paper: no. It cuts thinner slices.", "Keras: nearly. It adds slices."} < {*sheets.words(drawn)}


def test_its_first_page_only_asks():
    """It has four maps without names, no other picture whose title or numbers would answer, and no sentence of an answer."""
    asked, answered = lesson.page().split("<section>")[1:]
    assert asked.count('class="guess"') == len(sheet.EXERCISES) == 3
    assert asked.count("<img") == 4
    assert answered.count("<figure>") == len(sheet.FIGURES)
    assert not re.search("<figure|<figcaption", asked)
    words = re.sub("<[^>]*>", "", asked)
    assert "Name " in words
    assert DEFAULT.text in words
    for goal, _, answer in sheet.EXERCISES:
        fixed = max(re.split(r"\{\w+\}", answer), key=len)
        assert goal in words
        assert fixed in re.sub("<[^>]*>", "", answered)
        assert fixed not in asked


def test_its_maps_are_grey_have_letters_for_names_and_the_answers_say_which_asks_what():
    """By the network's own pass: the map whose row of the last verb is darkest at each word."""
    asked, answered = lesson.page().split("<section>")[1:]
    maps = [b64decode(one).decode() for one in re.findall('base64,([^"]*)"', asked)]
    letters = dict(re.findall(r"([A-D]) asks (\w+)", answered))
    weights = forward(store.load("sentence-4"), DEFAULT.examples.tokens).trace.weights.values[0, :, DEFAULT.last_verb]
    of_word = {"she": "who", "Carl": "whom", "Oslo": "where", "later": "when"}
    assert sorted(letters) == [*"ABCD"]
    assert list(letters.values()) != list(QUESTIONS), "not in the order of the heads"
    for letter, head, drawn in zip("ABCD", sheet.LETTERS, maps, strict=True):
        assert letters[letter] == of_word[DEFAULT.words[int(weights[head].argmax())]]
        said_there = sheets.words(drawn)
        assert letter in said_there
        assert not {*" ".join(said_there).split()} & {*QUESTIONS, "head"}
        assert {f"{place} {word}" for place, word in enumerate(DEFAULT.words, 1)} <= {*said_there}
        colours = {tuple(int(one[i : i + 2], 16) for i in (1, 3, 5)) for one in re.findall(r"#[0-9a-f]{6}", drawn)}
        assert all(max(one) - min(one) < 24 for one in colours), colours


def test_where_the_app_has_an_address_its_code_leads_there():
    with_code = lesson.page("https://headcount.example")
    (source,) = re.findall('<footer><img src="([^"]*)" alt="https://headcount.example">', with_code)
    drawn = b64decode(source.partition(",")[2]).decode()
    code = segno.make("https://headcount.example", error="m", micro=False).svg_inline(scale=10, light="white")
    assert [*re.findall(r' d="([^"]*)"', drawn)] == [*re.findall(r' d="([^"]*)"', code)] != []
    assert "https://headcount.example/" in with_code
    assert "<footer><span>" in lesson.page(), "this machine has none"


def test_no_word_of_the_sheet_is_unexplained():
    terms, known = {term for step in STEPS for term in step.terms}, known_at(len(STEPS)) | {"answers", "goals"}
    texts = [sheet.TITLE, *(re.sub(r"\{\w+\}", " ", part) for three in sheet.EXERCISES for part in three)]
    assert {word for text in texts for word in words_of(text) if plain(word, terms) not in known} == set()


def test_the_command_writes_it(tmp_path, capsys):
    out = tmp_path / "sheet.html"
    assert main(["lesson", "--out", str(out)]) == 0
    assert out.read_bytes() == lesson.file("html")
    assert main(["lesson", "--out", str(tmp_path / "sheet.svg")]) == 2
    assert main(["lesson", "--num-heads", "2", "--out", str(tmp_path)]) == 2
    assert main(["lesson", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "lesson.html").is_file()
    wrong = ["format must be html or pdf, got 'svg'", "there is no --num-heads (--help lists everything)"]
    assert capsys.readouterr().err.splitlines() == wrong


@pytest.mark.skipif(browser.missing() is not None, reason="no browser")
def test_it_is_printed_on_two_pages():
    assert len(re.findall(rb"/Type ?/Page\b", lesson.file("pdf"))) == 2
