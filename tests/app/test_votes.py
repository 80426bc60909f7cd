"""A room in which phones vote: the counts, the limits, and the texts of the lecturer's and the phones' screens."""

import threading
import time

import pytest

from components.app import votes
from components.app.votes import AWAY, LETTERS, MAX_IDLE, MAX_ROOMS, MAX_VOICES, Ballot, Rooms, new_code, signature
from components.presenter import votes as screen
from components.presenter.votes import ballot_of
from components.presenter.walk import answers, truth
from lessons.walk import STEPS
from tests.app.driver import come, text, title, whole

ASKS = [number for number, step in enumerate(STEPS, 1) if step.asks]
QUESTION = Ballot("q1", "How many?", ("5", "7", "11"), 1)
CODE = "BCDFGH"


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rooms(clock: Clock) -> Rooms:
    """A server's rooms. One of them asks the question and has the voices 1 to 5 in it."""
    rooms = Rooms(clock)
    rooms.lead(CODE, QUESTION)
    for voice in "12345":
        rooms.enter(CODE, voice)
    return rooms


def test_a_vote_counts_once_until_its_bars_are_shown_and_the_second_stands_beside_the_first(rooms: Rooms):
    for voice, place in (("1", 0), ("2", 0), ("3", 2), ("2", 1)):
        rooms.vote(CODE, voice, "q1", 0, place)
    seen = rooms.enter(CODE, "2")
    assert (seen.poll.counts, seen.poll.votes[-1]["2"], seen.here, seen.poll.is_open) == (((1, 1, 1),), 1, 5, True)
    rooms.turn(CODE, QUESTION, 0)
    rooms.vote(CODE, "4", "q1", 0, 0)  # pressed before the bars came, heard after
    rooms.vote(CODE, "4", "q1", 1, 0)
    assert (rooms.lead(CODE).poll.counts, rooms.lead(CODE).poll.is_open) == (((1, 1, 1),), False)
    rooms.turn(CODE, QUESTION, 1)
    rooms.turn(CODE, QUESTION, 1)  # pressed twice
    assert ("2" in rooms.enter(CODE, "2").poll.votes[-1], rooms.lead(CODE).poll.stage) == (False, 2)
    for voice in "1245":
        rooms.vote(CODE, voice, "q1", 2, 1)
    rooms.turn(CODE, QUESTION, 2)
    rooms.turn(CODE, QUESTION, 3)
    assert (rooms.lead(CODE).poll.counts, rooms.lead(CODE).poll.stage) == (((1, 1, 1), (0, 4, 0)), 3)


def test_a_window_that_only_looks_changes_nothing_and_each_question_keeps_its_votes(rooms: Rooms):
    rooms.vote(CODE, "1", "q1", 0, 2)
    other = Ballot("q2", "Which?", ("a", "b"), 0)
    assert rooms.lead(CODE, other).poll.counts == ((0, 0),)
    assert rooms.enter(CODE, "1").poll.ballot == QUESTION
    rooms.lead(CODE, other, moved=True)
    assert rooms.lead(CODE, QUESTION).poll.counts == ((0, 0, 1),)
    assert rooms.enter(CODE, "1").poll.ballot == other
    rooms.vote(CODE, "1", "q2", 0, 1)
    rooms.vote(CODE, "1", "q2", 0, 2)
    rooms.vote(CODE, "1", "q2", 0, -1)
    rooms.vote(CODE, "2", "q1", 0, 1)  # its phone has not yet heard of the other question
    rooms.turn(CODE, QUESTION, 0)
    assert rooms.enter(CODE, "1").poll.counts == ((0, 1, 1),), "who turns a question asks it"
    assert rooms.lead(CODE, other, moved=True).poll.counts == ((0, 1),)


def test_an_answer_ends_a_vote_until_the_lecturer_goes_back(rooms: Rooms):
    rooms.vote(CODE, "1", "q1", 0, 2)
    assert rooms.lead(CODE, QUESTION, moved=True, answered=True).poll.answered
    rooms.vote(CODE, "2", "q1", 0, 1)
    rooms.turn(CODE, QUESTION, 0)
    assert rooms.lead(CODE, QUESTION).poll.answered
    assert (rooms.lead(CODE).poll.counts, rooms.lead(CODE).poll.stage) == (((0, 0, 1),), 0)
    assert rooms.lead(CODE, QUESTION, moved=True).poll.is_open
    rooms.vote(CODE, "2", "q1", 0, 1)
    assert rooms.lead(CODE).poll.counts == ((0, 1, 1),)


def test_a_room_keeps_the_last_eight_questions(rooms: Rooms):
    rooms.vote(CODE, "1", "q1", 0, 2)
    others = [Ballot(f"other {k}", "Which?", ("a", "b"), 0) for k in range(8)]
    for ballot in others[:7]:
        rooms.lead(CODE, ballot, moved=True)
    assert rooms.lead(CODE, QUESTION).poll.counts == ((0, 0, 1),)
    rooms.lead(CODE, others[7], moved=True)
    assert rooms.lead(CODE, QUESTION).poll.counts == ((0, 0, 0),)
    assert [*rooms.rooms[CODE].polls] == [ballot.name for ballot in others]
    rooms.turn(CODE, QUESTION, 0)
    assert (rooms.enter(CODE, "1").poll.ballot, rooms.enter(CODE, "1").poll.stage) == (QUESTION, 1)


def test_who_leaves_is_no_longer_here_and_keeps_the_vote_and_who_comes_late_sees_what_is_shown(rooms: Rooms, clock: Clock):
    rooms.vote(CODE, "1", "q1", 0, 2)
    clock.now += AWAY
    assert (rooms.enter(CODE, "2").here, rooms.enter(CODE, "2").poll.counts) == (1, ((0, 0, 1),))
    rooms.turn(CODE, QUESTION, 0)
    late = rooms.enter(CODE, "77")
    assert (late.poll.stage, late.poll.counts, late.in_room) == (1, ((0, 0, 1),), True)


def test_of_a_thousand_voices_300_take_part_and_only_numbers_are_voices(rooms: Rooms):
    for voice in range(1000):
        rooms.enter(CODE, str(voice))
        rooms.vote(CODE, str(voice), "q1", 0, voice % 3)
    for voice in ("", "x", "<b>1</b>", "1" * 17, "-1", None):
        assert not rooms.enter(CODE, voice).in_room
    assert (rooms.lead(CODE).here, rooms.lead(CODE).poll.counts) == (MAX_VOICES, ((100, 100, 100),))
    assert rooms.enter(CODE, "3").in_room


def test_no_room_is_made_for_a_code_alone_and_a_room_in_use_is_never_given_away(clock: Clock):
    rooms = Rooms(clock)
    assert rooms.enter(CODE, "1") is None
    rooms.vote(CODE, "1", "q1", 0, 0)
    assert rooms.rooms == {}
    codes = list(dict.fromkeys(new_code() for _ in range(3 * MAX_ROOMS)))[: MAX_ROOMS + 2]
    first, second, *_ = codes
    for code in codes[:MAX_ROOMS]:
        assert rooms.lead(code, QUESTION) is not None
    assert rooms.lead(codes[-1]) is None
    clock.now += AWAY
    rooms.enter(first, "7")  # its lecturer talks, its phones are there
    for code in codes[2:MAX_ROOMS]:
        rooms.lead(code)
    assert rooms.lead(codes[-1]) is not None
    assert rooms.enter(second, "7") is None
    assert len(rooms.rooms) == MAX_ROOMS
    clock.now += MAX_IDLE
    assert rooms.enter(first, "7") is None
    rooms.lead(codes[-1])
    assert [*rooms.rooms] == [codes[-1]]


def test_votes_from_many_threads_are_all_counted_while_a_thousand_strangers_try_the_room():
    rooms, slowest = Rooms(), []
    rooms.lead(CODE, QUESTION)
    for voice in range(80):
        rooms.enter(CODE, str(voice))

    def strangers(start: int) -> None:
        for voice in range(start, start + 250):
            rooms.enter(CODE, str(voice))

    def phone(voice: str) -> None:
        begun = time.perf_counter()
        rooms.vote(CODE, voice, "q1", 0, int(voice) % 3)
        rooms.enter(CODE, voice)
        slowest.append(time.perf_counter() - begun)

    tries = [threading.Thread(target=strangers, args=(1000 * k,)) for k in range(1, 5)]
    phones = [threading.Thread(target=phone, args=(str(voice),)) for voice in range(80)]
    for thread in (*tries, *phones):
        thread.start()
    for thread in (*tries, *phones):
        thread.join()
    assert rooms.lead(CODE).poll.counts == ((27, 27, 26),)
    assert rooms.lead(CODE).here == MAX_VOICES
    assert max(slowest) < 3


def test_a_code_is_six_letters_of_its_seat_and_only_this_servers_signature_leads(monkeypatch):
    for seat, half in (("", LETTERS), ("1", LETTERS[:10]), ("2", LETTERS[10:]), ("<", LETTERS)):
        codes = {new_code(seat) for _ in range(50)}
        assert all(votes.CODE.fullmatch(code) and code[0] in half for code in codes)
    assert votes.is_signed(CODE, signature(CODE))
    assert not votes.is_signed("CODEXX", signature("CODEXX"))
    for forged in ("", signature("BCDFGJ"), signature(CODE)[:-1], "ü" * 16):
        assert not votes.is_signed(CODE, forged)
    signed = signature(CODE)
    monkeypatch.setattr(votes, "SECRET", "of another server")
    assert not votes.is_signed(CODE, signed)


@pytest.mark.parametrize("number", ASKS)
def test_the_question_on_the_phones_is_the_steps_own(number: int):
    step = STEPS[number - 1]
    ballot, settles = ballot_of(step), ballot_of(STEPS[number])
    assert ballot == settles
    assert ballot.asks.startswith("How many parameters do twice as many heads have")
    assert ballot.asks in step.says.format_map({"key_dim": 4, "d_model": 16, "count": "", "num_heads": 4})
    assert [option.split("**")[1] for option in ballot.options] == [f"{count:,}" for count in answers(step).values()]
    assert ballot.options[ballot.right].startswith(f"**{truth(step):,}**")


def well(at):
    assert [error.message for error in at.exception] == []
    return at


def lecturer(code: str, page: str = "heads", **query: object):
    return well(come(page, room=code, lead=signature(code), **query))


def phone(code: str, voice: str | None):
    at = come("heads", room=code)
    at.session_state["visit"].voice = voice
    return whole(at.run())


def labels(at) -> list[str]:
    return [button.label for button in at.button if str(button.key).startswith("vote ")]


def bars(at) -> list[str]:
    return [bar.proto.progress.text if hasattr(bar.proto, "progress") else bar.proto.text for bar in at.get("progress")]


def plain(label: str) -> str:
    return label.replace("*", "")


def keys(at) -> dict[str, str]:
    """The labels of the quiz's buttons by their keyboard keys, without the options."""
    known = {"pageup": "PageUp", "pagedown": "PageDown", "n": "N", "p": "P", "v": "V"}
    return {known[button.proto.shortcut]: button.label for button in at.button if button.proto.shortcut in known}


def press(at, key: str):
    return well(next(button for button in at.button if button.key == key).click().run())


def test_in_the_walk_phones_vote_see_the_bars_vote_again_and_see_the_answer():
    code, number = new_code(), ASKS[0]
    early = phone(code, "1")
    assert title(early) == "This room is not open."
    assert f"`{code}` has not begun, or it has ended: with its server, or two hours after its lecturer left." in text(early)
    assert MAX_IDLE == 2 * 60 * 60
    lecturer(code, present=1, step=1)
    assert title(phone(code, "1")) == "You are in."
    wall = lecturer(code, present=1, step=number)
    one, two = phone(code, "1"), phone(code, "2")
    assert title(one) == "How many parameters do twice as many heads have?"
    assert [option.split("**")[1] for option in labels(one)] == ["544", "1,088", "2,176", "4,352"]
    one.button[2].click().run()
    two.button[2].click().run()
    assert "**2 votes**, 2 phones here." in text(wall.run())
    assert "2,176" not in "".join(bars(wall))
    press(wall, "show_votes")
    assert bars(wall) == bars(one.run()) == ["**544**, half: **0**", "**1,088**, the same: **0**", "**2,176**, twice: **2**",
                                             "**4,352**, four times: **0**"]  # fmt: skip
    assert "This vote is over." in text(one)
    assert labels(one) == []
    press(wall, "vote_again")
    one.run().button[1].click().run()
    press(wall, "show_votes")
    assert bars(wall)[4:] == ["**544**, half: **0**", "**1,088**, the same: **1**", "**2,176**, twice: **0**",
                              "**4,352**, four times: **0**"]  # fmt: skip
    assert [said.value for said in wall.caption if "vote" in said.value or "talking" in said.value] == [
        "First vote",
        "After talking",
    ]
    assert "Right:" not in text(one.run())
    answer = lecturer(code, present=1, step=number + 1)
    assert [*map(plain, bars(answer))] == ["544: 0", "✓ 1,088: 0", "2,176: 2", "4,352: 0",
                                           "544: 0", "✓ 1,088: 1", "2,176: 0", "4,352: 0"]  # fmt: skip
    assert "Right: **1,088**, the same. You took it." in text(one.run())
    assert "Right: **1,088**, the same." in text(two.run())
    assert "You took" not in text(two)


def test_in_the_quiz_the_bars_stand_where_the_answer_will_and_the_answer_waits_for_the_lecturer():
    code = new_code()
    wall = lecturer(code, "quiz", quiz=17)
    one = phone(code, "1")
    asked = [button.label for button in wall.button if str(button.key).startswith("option_")]
    assert labels(one) == asked
    one.button[0].click().run()
    assert keys(wall) == {"PageUp": "Previous", "PageDown": "Show the votes", "N": "Next"}
    press(wall, "show_votes")
    assert keys(wall) == {"PageUp": "Previous", "PageDown": "Show the answer", "V": "Vote again", "N": "Next"}
    assert bars(wall) == ["1: **1**", "2: **0**", "3: **0**", "4: **0**"]
    assert title(wall) == title(one.run())
    press(wall, "reveal")
    assert keys(wall) == {"PageUp": "Previous", "PageDown": "Next"}
    assert title(wall).endswith("is right.")
    right = title(wall).split("[")[1].split("]")[0]
    assert f"Right: {right}. You took {'it' if asked[0] == right else asked[0]}." in text(one.run())


def test_two_windows_of_the_lecturer_keep_both_votes_and_phones_follow_the_one_that_moves():
    code, (first, second) = new_code(), ASKS
    wall = lecturer(code, present=1, step=first)
    one, two = phone(code, "1"), phone(code, "2")
    one.button[2].click().run()
    laptop = lecturer(code, present=1, step=second)
    assert labels(two.run()) == list(ballot_of(STEPS[second - 1]).options)
    two.button[0].click().run()
    for _ in range(2):
        assert "**1 vote**, 2 phones here." in text(wall.run())
    assert labels(one.run()) == list(ballot_of(STEPS[second - 1]).options), "a window that polls asks nothing"
    laptop.query_params["step"] = str(second - 1)
    well(laptop.run())
    wall.query_params["step"] = str(first + 1)
    assert [*map(plain, bars(well(wall.run())))][2] == "2,176: 1"
    assert "Right: **1,088**" in text(one.run())
    laptop.query_params["step"] = str(second)
    assert "**1 vote**, 2 phones here." in text(well(laptop.run()))
    wall.query_params["step"] = str(first)
    assert "**1 vote**, 2 phones here." in text(well(wall.run()))
    assert labels(two.run()) == list(ballot_of(STEPS[first - 1]).options), "the way back opens the vote again"


def test_the_first_step_shows_the_way_into_the_room():
    code = new_code()
    wall = lecturer(code, present=1, step=1)
    assert f"**`{code}`**" in "".join(one.value for one in wall.caption)
    assert "0 phones here." in text(wall)
    assert wall.session_state["visit"].room == {"room": code, "lead": signature(code)}
    assert f"**`{code}`**" not in "".join(one.value for one in lecturer(code, present=1, step=2).caption)
    assert not any("phones here" in one.value for one in come("heads", present=1, step=1).markdown)


def test_a_tab_that_led_before_a_reload_leads_on_and_one_with_a_wrong_signature_learns_nothing(monkeypatch):
    code, ours = new_code(), come("heads").session_state["visit"]
    monkeypatch.setattr(screen, "visit", lambda: ours)
    for signed, leads in ((signature(code), True), ("0" * 16, False)):
        ours.room, address = {"room": code}, {"room": code, "lead": signed}
        monkeypatch.setattr(screen.st, "query_params", address)
        monkeypatch.setattr(screen, "reported", lambda key, what, signed=signed: f"lead {signed}")
        screen._hear()
        assert (screen.leads(), screen.poll_of(QUESTION) is not None, ours.voice) == (True, leads, None)
        assert address == {"room": code}, "a wall shows the address"


@pytest.mark.parametrize(("before", "asks_anew"), [("guess open", False), ("guess answered", True), ("", True)])
def test_a_reload_of_a_window_asks_nothing_anew_and_another_address_in_its_tab_does(monkeypatch, before: str, asks_anew: bool):
    code, (first, second) = new_code(), ASKS
    lecturer(code, present=1, step=first)
    lecturer(code, present=1, step=second)
    tab = come("heads", room=code, present=1, step=first)  # a reload: the signature is no longer in the address
    with monkeypatch.context() as patched:
        ours = tab.session_state["visit"]
        patched.setattr(screen, "visit", lambda: ours)
        patched.setattr(screen.st, "query_params", {})
        patched.setattr(screen, "reported", lambda key, what: f"lead {signature(code)} {before}".strip())
        screen._hear()
    assert "0 votes**, 0 phones here." in text(well(tab.run()))
    number = first if asks_anew else second
    assert labels(phone(code, "1")) == list(ballot_of(STEPS[number - 1]).options)


def test_a_quiz_question_in_a_sequence_has_its_room_below_it():
    code = new_code()
    wall = lecturer(code, "quiz", quiz=17, number=3, present="page", sequence="/quiz?quiz=17&number=3", step=1)
    one = phone(code, "1")
    one.button[1].click().run()
    assert "**1 vote**, 1 phone here." in text(wall.run())
    assert f"**`{code}`**" in "".join(said.value for said in wall.main.caption)
    press(wall, "show_votes")
    assert bars(wall)[1] == "2: **1**"
    press(wall, "reveal")
    assert "Right: " in text(one.run())


def test_letters_may_be_small_and_a_phone_says_nothing_before_its_tab_has_a_voice():
    code = new_code()
    assert title(lecturer(code, present=1, step=2)) == STEPS[1].headline
    assert title(phone(code.lower(), "1")) == "You are in."
    assert not come("heads", room=code).title
    assert screen.rooms().enter(code, None).here == 1


def test_a_tab_has_one_voice_and_a_room_that_is_full_says_so(monkeypatch):
    code, said, ours = new_code(), iter(("7", "8", "9")), come("heads").session_state["visit"]
    monkeypatch.setattr(screen, "reported", lambda key, what: next(said))
    monkeypatch.setattr(screen, "visit", lambda: ours)
    for _ in range(3):
        screen._hear()
    assert screen.visit().voice == "7"
    monkeypatch.undo()
    lecturer(code, present=1, step=ASKS[0])
    for voice in range(MAX_VOICES):
        screen.rooms().enter(code, str(voice))
    late = phone(code, "4711")
    assert "300 phones vote in this room. This one can only watch." in text(late)
    assert all(button.disabled for button in late.button)


@pytest.mark.parametrize("forged", ["", "0" * 16, "<b>", "é" * 16])
def test_a_link_that_another_server_signed_says_so_and_opens_another_room(forged: str):
    code = new_code()
    at = whole(come("quiz", room=code, lead=forged))
    assert "This room has ended: the server that signed its link is gone." in text(at)
    assert screen.rooms().enter(code, "1") is None
    press(at, "open_room")
    opened = at.session_state["visit"].room
    assert opened["room"] != code
    assert votes.is_signed(opened["room"], opened["lead"])
    assert screen.rooms().enter(opened["room"], "1") is not None


@pytest.mark.parametrize("code", ["<b>x</b>", "BCDFG1", "BCDFG", "B" * 5000, "AEIOUY", "**B**"])
def test_a_code_that_is_none_is_said_as_code_and_is_no_room(code: str):
    at = phone(code, "1")
    assert title(at) == "This room is not open."
    assert "<b>" not in text(at).replace("`<B>X</B>`", "")
    assert len(text(at)) < 400


def test_without_a_server_it_says_that_it_cannot(monkeypatch):
    monkeypatch.setattr(screen, "ALONE", True)
    assert "Votes by phone need a server" in text(whole(come("quiz")))
