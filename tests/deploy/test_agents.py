"""Streamlit's own interface for agents (server.enableAgentApi): one can set the sizes and read the count."""

import json
import urllib.request
from pathlib import Path

import pytest

from tests.serving import Server


def ask(url: str, **said: object) -> dict:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/_stcore/agent/interact", json.dumps(said).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read())


@pytest.fixture
def agents(tmp_path: Path):
    with Server(tmp_path / "log", STREAMLIT_SERVER_ENABLE_AGENT_API="true") as server:
        yield server


def test_an_agent_sets_the_heads_and_reads_the_count_and_sees_no_widget_of_the_machinery(agents: Server):
    first = ask(agents.url)
    keys = {action["key"] for action in first["actions"]}
    assert {"num_heads", "d_model", "split"} <= keys
    assert not [key for key in keys if key.startswith("hide_")]
    ask(agents.url, session_id=first["session_id"], widget_state={"split": "Keras"})
    second = ask(agents.url, session_id=first["session_id"], widget_state={"num_heads": "8"})
    assert "**2,160**" in json.dumps(second["tree"]), "the total of the ledger"
