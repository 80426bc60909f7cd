"""The page Quiz: a question with its options, then the figure that shows the right option. Hidden fields hold the question's
number and the visitor's answers."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import streamlit as st

from components.address import quoted
from components.app.controls import control, hidden, value_ahead
from components.app.stale_widget_values import set_value
from components.app.votes import Ballot, Poll
from components.pages.quiz import ANSWERS, QUIZ, QUIZ_NUMBER, pictures
from components.pages.quiz.pictures import LETTERS, MAP_HIGH
from components.presenter.slide import asks_in_sequence
from components.presenter.votes import draw_bars, leads, poll_of, show_room
from components.symbols import set_symbols
from components.widgets.chart import draw_chart, show_chart
from components.widgets.images import show_image
from components.widgets.stage import show_still
from components.widgets.trace import trace_of
from headcount import Config, count_parameters
from headcount.export.figures import EVERY
from headcount.export.request import Request
from headcount.layer import SEED
from headcount.names import counted, heads_in_words
from headcount.plots.heatmaps import NARROW
from headcount.settings import NUMBERS, TOKENS
from headcount.stage.numbers import plain
from headcount.stage.pictures.piles import sum_of
from headcount.stage.scene import Scene
from headcount.stage.theme import THEMES
from lessons.quiz import ROUNDS, TAUGHT, QuizQuestion, deck

OPEN = "-"


def read(word: str, questions: Sequence[QuizQuestion]) -> tuple[int | None, ...]:
    """The chosen options: for each question an index or None. `word`: the address's text, with a letter for each question."""
    letters = word.lower()[: len(questions)].ljust(len(questions), OPEN)
    places = (LETTERS.lower().find(letter) for letter in letters)
    return tuple(place if 0 <= place < len(q.options) else None for place, q in zip(places, questions, strict=True))


def write(chosen: Sequence[int | None]) -> str:
    """The answers as text for the address: a letter or a dash for each question, without dashes at the end."""
    return "".join(OPEN if place is None else LETTERS[place].lower() for place in chosen).rstrip(OPEN)


def invalid_letters(word: str, questions: Sequence[QuizQuestion]) -> str:
    """The letters in `word` (the address's answers) for which there is no option or no question."""
    known = [*read(word, questions)]
    bad = [letter for letter, place in zip(word.lower(), known, strict=False) if place is None and letter != OPEN]
    return "".join(bad) + word[len(questions) :]


@dataclass(frozen=True, slots=True)
class Quiz:
    """A visitor's quiz. `seed`: the quiz's number. `number`: the number of the present question, from 1.
    - `chosen`: for each question the index of the chosen option, or None.
    - `presented`: whether a sequence of pages shows the quiz. `poll`: the votes of a room, on the lecturer's screen only."""

    seed: int
    number: int
    questions: tuple[QuizQuestion, ...]
    chosen: tuple[int | None, ...]
    presented: bool = False
    poll: Poll | None = None

    @property
    def question(self) -> QuizQuestion:
        return self.questions[self.number - 1]

    @property
    def answer(self) -> int | None:
        return self.chosen[self.number - 1]

    @property
    def shown(self) -> bool:
        return self.answer is not None

    @property
    def round(self) -> int:
        return bisect_left([*accumulate(map(len, ROUNDS.values()))], self.number) + 1

    @property
    def round_numbers(self) -> range:
        sizes = [*map(len, ROUNDS.values())]
        return range(sum(sizes[: self.round - 1]) + 1, sum(sizes[: self.round]) + 1)

    @property
    def place(self) -> str:
        """The question's place in its round, with a link to the page that teaches the topic."""
        numbers, topic = self.round_numbers, [*ROUNDS][self.round - 1]
        within = f"Question {numbers.index(self.number) + 1} of {len(numbers)}"
        return f"{within}, round {self.round} of {len(ROUNDS)}, taught in [{topic}](./{TAUGHT[topic]})"

    @property
    def wrong(self) -> dict[int, int]:
        """The wrong answers: the index of the chosen option, by the question's number from 1."""
        pairs = enumerate(zip(self.chosen, self.questions, strict=True), start=1)
        return {number: place for number, (place, question) in pairs if place is not None and place != question.answer}

    @property
    def score(self) -> str:
        """A sentence with the number of right answers in the round, or so far if the round is not complete. It is "" before the
        first answer, and while a class votes."""
        numbers, answered = self.round_numbers, len(self.chosen) - self.chosen.count(None)
        if self.poll or not answered:
            return ""
        if None in self.chosen[numbers.start - 1 : numbers.stop - 1]:
            return f"{answered - len(self.wrong)} of {answered} right."
        return f"Round {self.round}: {len({*numbers} - {*self.wrong})} of {len(numbers)} right."


def read_quiz() -> Quiz:
    """Reads the quiz from the address. Shows a warning if the address has letters that are no answers."""
    with hidden("quiz"):
        number, word = control(QUIZ_NUMBER), control(ANSWERS)
    seed = value_ahead(QUIZ)  # its field is drawn after the question
    questions = deck(seed)
    if bad := invalid_letters(word, questions):
        st.warning(
            f"In the address, **answers** must be a letter from a to d or a dash for each of the {len(questions)} questions, "
            f"got {quoted(bad)}."
        )
    quiz = Quiz(seed, number, questions, read(word, questions), asks_in_sequence("quiz"))
    return replace(quiz, poll=poll_of(ballot_of(quiz), quiz.shown)) if leads() else quiz


def begin_anew() -> None:
    set_value("number", 1)
    set_value("answers", "")


def answer(quiz: Quiz, place: int | None) -> None:
    chosen = [*quiz.chosen]
    chosen[quiz.number - 1] = place
    set_value("answers", write(chosen))


def walk(quiz: Quiz) -> None:
    last = len(quiz.questions)
    keys = ("PageUp", "PageDown" if quiz.shown else "N") if quiz.poll else ("P", "N")  # a presenter's remote has no others
    before, after = max(1, quiz.number - 1), min(last, quiz.number + 1)
    with st.container(key="quiz_row", horizontal=True, vertical_alignment="center"):
        st.button("Previous", shortcut=keys[0], on_click=set_value, args=("number", before), disabled=quiz.number == 1)
        st.markdown(f"{quiz.place}. **{quiz.score}**" if quiz.score else quiz.place, width="stretch", text_alignment="center")
        st.button("Next", shortcut=keys[1], on_click=set_value, args=("number", after), disabled=quiz.number == last)


def headline(quiz: Quiz) -> str:
    question, right = quiz.question, label(quiz.question, quiz.question.answer)
    if quiz.answer is None:
        return set_symbols(question.headline)
    if quiz.answer == question.answer:
        return f":green[{right}] is right."
    return f"You chose :red[{label(question, quiz.answer)}]; the answer is :green[{right}]."


def draw_board(quiz: Quiz) -> None:
    """Draws the layer that the question is about, if there is one, and a card for each option. Between them is the answer's
    figure. A question mark, a map without a name or the votes take its place until the answer is shown."""
    question = quiz.question
    drawn = pictures.options(question) if quiz.shown else ()
    with st.container(key="board"):
        if question.before is not None:
            with st.container(key="asked"):
                draw_pile(question, question.before, question.before)
        bars = None if quiz.poll is None or quiz.poll.is_open or quiz.shown else quiz.poll
        with st.container(key="came" if quiz.shown else "votes" if bars else "place"):
            if bars:
                draw_bars(bars, tuple("1234"))
            elif not quiz.shown and question.asking is not None:
                chart, alt = pictures.map_of(question, named=False)
                draw_chart(chart, "asked_chart", alt)
            elif not quiz.shown:
                st.markdown("**?**", text_alignment="center")
            elif question.before is not None:
                draw_pile(question, question.before, question.cfg)
            else:
                draw_figure(question)
        for place, option in enumerate(question.options):
            known = "right" if option.right else "yours" if place == quiz.answer else "other"
            with st.container(key=f"card_{place + 1}_{known if quiz.shown else 'open'}"):
                if drawn:
                    draw(drawn[place])
                if quiz.shown:
                    draw_reason(question, place, known, place == quiz.answer and not (quiz.poll or quiz.presented))
                else:
                    draw_option(quiz, place)


def ballot_of(quiz: Quiz) -> Ballot:
    question = quiz.question
    options = tuple(label(question, place) for place in range(len(question.options)))
    return Ballot(f"{quiz.seed}.{quiz.number}", set_symbols(question.headline), options, question.answer)


def draw(scene: Scene) -> None:
    image, width = pictures.as_svg(scene, THEMES[st.context.theme.type or "light"])
    show_image(image, scene.alt, width)


def draw_pile(question: QuizQuestion, before: Config, cfg: Config) -> None:
    """Draws `cfg` as a stack of weight matrices, with its parameter count. `before`: the layer whose count is given."""
    same = before.num_heads == question.cfg.num_heads
    st.markdown(f"**{counted(cfg.query_len, 'token') if same else heads_in_words(cfg.num_heads)}**", text_alignment="center")
    if (trace := trace_of(SEED, cfg)) is not None:
        draw(pictures.pile(question, before, trace))
    st.markdown(f"**{count_parameters(cfg):,}**", text_alignment="center")
    st.caption(" ".join(sum_of(cfg, named=True)), text_alignment="center")


def label(question: QuizQuestion, place: int) -> str:
    return set_symbols(question.options[place].text)


def draw_option(quiz: Quiz, place: int) -> None:
    key, text = str(place + 1), label(quiz.question, place)  # the number is also the keyboard shortcut
    st.button(text, key=f"option_{key}", shortcut=key, on_click=answer, args=(quiz, place), width="stretch")


def draw_reason(question: QuizQuestion, place: int, known: str, own: bool) -> None:
    """Draws an option and why it is right, or when it would be right. `own`: whether the visitor chose this option."""
    colour, sign = {"right": ("green", "✓ "), "yours": ("red", "✗ ")}.get(known, ("gray", ""))
    note = "Your answer" if own else "Right" if known == "right" else ""
    st.markdown(f":{colour}[**{sign}{label(question, place)}**] {note}".rstrip())
    st.markdown(set_symbols(question.options[place].why))


def draw_foot(quiz: Quiz) -> None:
    """Draws the row below the cards: what to press or, after the answer, a link to the page that shows the answer."""
    question = quiz.question
    with st.container(key="quiz_foot", horizontal=True, vertical_alignment="center"):
        if quiz.shown:
            figure = EVERY[question.figure]
            link = "." + asked_for(question).link(figure.page, figure.options)
            st.link_button("See it on its page", link, icon=":material/open_in_new:", type="tertiary")
            st.button("Answer again", type="tertiary", on_click=answer, args=(quiz, None))
            return
        st.caption("Press a card.", width="stretch")
        if quiz.poll or quiz.presented:
            shortcut = "PageDown" if quiz.poll and not quiz.poll.is_open else None
            st.button("Show the answer", key="reveal", on_click=answer, args=(quiz, question.answer), shortcut=shortcut)


def asked_for(question: QuizQuestion) -> Request:
    """The request for the figure that shows the answer. Without a sentence, the numbers are drawn from the seed."""
    own = EVERY[question.figure].of_words and TOKENS.code not in dict(question.choices)
    return Request(question.cfg, question.paper, (*question.choices, *[(NUMBERS.code, "seed")] * own))


def draw_figure(question: QuizQuestion) -> None:
    """Draws the figure that shows the answer. If the question showed a map without a name, that is the map with its name."""
    if question.asking is not None:
        show_chart(pictures.map_of(question, named=True), "answered_chart")
        return
    alone = question.figure == "attention" and "head" in dict(question.choices)
    figure, request = EVERY["head_map" if alone else question.figure], asked_for(question)
    picture = figure.draw(request)
    st.markdown(f"**{set_symbols(plain(picture.title))}**")
    if picture.is_scene:
        show_still(lambda: figure.draw(request).scene, "answered")
    else:
        chart = picture.arranged(NARROW, MAP_HIGH) if picture.arranged else picture.chart
        show_chart((chart, picture.alt), "answered_chart")


def draw_side(quiz: Quiz) -> None:
    control(QUIZ, on_change=begin_anew)
    if not quiz.presented:
        show_room(quiz.poll)
    if quiz.wrong:
        st.subheader("To look at again", anchor=False)
    for number, chosen in quiz.wrong.items():
        question = quiz.questions[number - 1]
        st.button(
            f"{number}: you chose “{label(question, chosen)}”, but “{label(question, question.answer)}” is right",
            key=f"again_{number}",
            help=question.asks, type="tertiary", on_click=set_value, args=("number", number), icon=":material/replay:",
        )  # fmt: skip
