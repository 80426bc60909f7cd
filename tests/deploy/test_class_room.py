"""`make run` serves this machine alone, `make class` everybody in its network: neither asks where it is."""

import io
import re
import subprocess

import segno

from deploy import class_room
from tests.sources import ROOT


def recipe(target: str) -> str:
    done = subprocess.run(("make", "-n", target, "PORT=8617"), cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_run_listens_on_this_machine_and_class_does_not_say_so():
    assert "--server.address 127.0.0.1" in recipe("run")
    assert "-m deploy.class_room --server.port 8617" in recipe("class")


def test_a_class_is_served_everywhere_under_the_address_that_is_printed(monkeypatch, capsys):
    started = []
    monkeypatch.setattr(class_room.os, "execv", lambda _, command: started.append(command))
    monkeypatch.setattr(class_room, "own_address", lambda: "192.0.2.7")
    monkeypatch.setattr(class_room.sys, "argv", ["class_room", "--server.port", "8617", "--theme.base", "dark"])
    class_room.main()
    (command,) = started
    assert " ".join(command[1:]) == (
        "-m streamlit run app.py --server.headless true --server.port 8617 --server.address 0.0.0.0 "
        "--browser.serverAddress 192.0.2.7 --theme.base dark"
    )
    said, code = capsys.readouterr().out, io.StringIO()
    segno.make("http://192.0.2.7:8617", error="m").terminal(code, compact=True)
    assert "http://192.0.2.7:8617" in said
    assert said.endswith(code.getvalue())


def test_the_own_address_is_a_number_with_and_without_a_network(monkeypatch):
    assert re.fullmatch(r"\d+(\.\d+){3}", class_room.own_address())

    class Nowhere(class_room.socket.socket):
        def connect(self, *_):
            raise OSError("Network is unreachable")

    monkeypatch.setattr(class_room.socket, "socket", Nowhere)
    assert class_room.own_address() == "127.0.0.1"
