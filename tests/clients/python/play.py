"""The whole play for one client: connect as strangers, do the job, live through lost access tokens."""

import faulthandler
import json
import os
import sys

import anyio

from journey import must, review, step, work
from person import Person

# A client that hangs fails the test instead of the whole run, and says where it hangs.
LONGEST = 55

NEWEST = {"legacy": "2025-11-25"}


def play(connect):
    """`connect(url, person, era)` is entered for a connected agent as in `journey`, with `auth` for what OAuth needs."""
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    anyio.run(whole, connect)
    step("done")
    # A thread that some library left behind does not keep the process.
    sys.stdout.flush()
    os._exit(0)


async def whole(connect):
    base, password, era = (os.environ[name] for name in ("TFP_BASE", "TFP_PASSWORD", "TFP_ERA"))
    ada, grace = (Person(base, os.environ[name], password) for name in ("TFP_WORKER", "TFP_REVIEWER"))
    async with connect(f"{base}/mcp", ada, era) as author:
        arrived(author, ada, era)
        handed = await work(author, ada.handle)
        async with connect(f"{base}/mcp", grace, era) as reviewer:
            arrived(reviewer, grace, era)
            await review(author, reviewer, *handed)
        assert (ada.asked, grace.asked) == (1, 1), "each person was asked, once"
        await refreshes(author, ada)
        await asks_again(author, ada)


def arrived(agent, person, era):
    assert agent.version == NEWEST.get(era, "2026-07-28"), f"{era} agrees on {agent.version}"
    step(f"connected for {person.handle}: {agent.version}")


async def refreshes(agent, person):
    """Time goes by for the client, which then exchanges its refresh token before it asks anything."""
    agent.auth.context.token_expiry_time = 1
    known = spoil_access_token(agent)
    assert (await must(agent, "whoami"))["user"]["handle"] == person.handle
    now = agent.auth.context.current_tokens
    assert now.refresh_token not in (None, known.refresh_token), "the client exchanged its refresh token"
    assert person.asked == 1, "and nobody was asked"
    step("refreshed by itself, and went on")


async def asks_again(agent, person):
    """A token that was refused before its time sends these clients to the person, who has signed in since long."""
    spoil_access_token(agent)
    assert (await must(agent, "whoami"))["user"]["handle"] == person.handle
    assert person.asked == 2, "the person was asked again"
    step("asked the person again after a 401, and went on")


def spoil_access_token(agent):
    """Makes the access token one that the server does not know; the refresh token stays."""
    known = agent.auth.context.current_tokens
    agent.auth.context.current_tokens = known.model_copy(update={"access_token": "tfp_at_of-another-time"})
    return known


def envelope_of(tool, result):
    """A tool's result as the journey sees it; the text must say the same as the structured content."""
    assert len(result.content) == 1, f"{tool} answers one text"
    envelope = json.loads(result.content[0].text)
    assert result.structured_content == envelope, f"{tool}: text and structured content agree"
    return envelope, result.is_error


def text_of(uri, contents):
    """The text of a resource that is one text."""
    assert [str(content.uri) for content in contents] == [uri], contents
    return contents[0].text
