"""The main job through a client: find a problem, work on it in the open, hand in, be judged.

An `agent` is what a client looks like to both parts: `tools()`, `templates()`, `call(tool, arguments)` which answers an envelope
and whether it was refused, and `read(uri)` which answers a text.
"""

import hashlib
from datetime import UTC, datetime

ANSWER = "# Answer\n\nShort, checkable, and not only ASCII: ∑ é 🎈\n"


def step(line):
    print(line, flush=True)


async def must(agent, tool, **arguments):
    envelope, refused = await agent.call(tool, arguments)
    assert not refused, f"{tool} was refused: {envelope}"
    return envelope


async def refusal(agent, tool, **arguments):
    envelope, refused = await agent.call(tool, arguments)
    assert refused, f"{tool} was not refused: {envelope}"
    return envelope["error"]


async def work(agent, handle):
    """From `whoami` to a submission that waits for its judgment."""
    tools = await agent.tools()
    assert {"whoami", "start_attempt", "claim_review"} <= set(tools), tools
    assert await agent.tools() == tools, "a second listing says the same"
    assert "tfp://artifacts/{artifact_id}" in await agent.templates(), "the template of artifacts is listed"
    step(f"lists: {len(tools)} tools")

    me = await must(agent, "whoami")
    assert me["user"]["handle"] == handle
    assert me["scopes"] == ["read", "contribute"], me["scopes"]
    step(f"whoami: {handle}")

    found = await must(agent, "search_problems", limit=10)
    assert found["cursor"] is None, "the example fits on a page"
    pick = (await must(agent, "pick_problem"))["problems"][0]
    problem = pick["problem"]["id"]
    assert problem in [problem["id"] for problem in found["problems"]], "what is picked can be searched"
    assert pick["reason"]
    before = await must(agent, "get_problem", problem=problem)
    assert before["problem"]["id"] == problem
    step(f"pick_problem: {pick['problem']['title']}")

    started = await must(agent, "start_attempt", problem=problem, operation_key="client-test-start")
    attempt = started["attempt"]["id"]
    assert started["attempt"]["revision_id"] == before["revision"]["id"]
    again = await must(agent, "start_attempt", problem=problem, operation_key="client-test-start")
    assert again["attempt"]["id"] == attempt, "a repeated start is the same attempt"
    assert again["operation"]["replayed"] is True
    during = await must(agent, "get_problem", problem=problem)
    assert during["attempt_summary"]["active"] == before["attempt_summary"]["active"] + 1
    step(f"start_attempt: {attempt}")

    bad = await refusal(agent, "add_note", attempt_id=attempt, body="x")
    assert bad["code"] == "invalid_input" and bad["details"]["fields"], f"it says which field: {bad}"
    body = "Read it twice, then write."
    noted = await must(agent, "add_note", attempt_id=attempt, topic="approach", body_md=body)
    step(f"add_note: {noted['note']['id']}")

    file = {"filename": "answer.md", "media_type": "text/markdown", "text": ANSWER}
    artifact = (await must(agent, "create_artifact", attempt_id=attempt, **file))["artifact"]
    assert artifact["content_hash"] == f"sha256:{hashlib.sha256(ANSWER.encode()).hexdigest()}"
    assert artifact["size_bytes"] == len(ANSWER.encode())
    uri = f"tfp://artifacts/{artifact['id']}"
    assert await agent.read(uri) == ANSWER, "the bytes come back as they were"
    step(f"create_artifact and resources/read: {uri}")

    handed = await must(agent, "create_submission", attempt_id=attempt, artifact_ids=[artifact["id"]])
    submission = handed["submission"]["id"]
    assert handed["submission"]["status"] == "in_review", "the example's problem has a reviewer"
    await must(agent, "end_attempt", attempt_id=attempt, outcome="submitted", note_md="It is in answer.md.")
    ended = await must(agent, "get_attempt", attempt_id=attempt)
    assert ended["attempt"]["status"] == "ended"
    assert len(ended["notes"]) == 2, "the working note and the summary"
    stored = await must(agent, "get_submission", submission_id=submission)
    assert stored["submission"]["artifact_ids"] == [artifact["id"]]
    step(f"create_submission and end_attempt: {submission}")
    return submission, uri


async def review(author, reviewer, submission, uri):
    """The judgment of it, by someone else."""
    assert (await must(author, "pick_review"))["reviews"] == [], "nobody is offered their own work"
    offered = (await must(reviewer, "pick_review"))["reviews"][0]
    seat = {"review_process_id": offered["review_process_id"], "node_id": offered["node_id"]}
    case = await must(reviewer, "get_review_case", **seat)
    assert uri in [material["resource_uri"] for material in case["materials"]], "the file is among the materials"
    hold = (await must(reviewer, "claim_review", **seat))["assignment"]["hold_until"]
    assert datetime.fromisoformat(hold) > datetime.now(UTC), "the seat is held for a while"
    assert await reviewer.read(uri) == ANSWER, "a reviewer reads the whole file"
    step(f"claim_review: held until {hold}")

    empty = {"criteria": {}, "citations": []}
    assert (await refusal(reviewer, "submit_review_response", **seat, response=empty))["code"] == "invalid_response"
    criteria = {criterion["key"]: best(criterion["answer"]) for criterion in case["rubric"]}
    response = {"criteria": criteria, "citations": [uri], "comment_md": "Good."}
    done = await must(reviewer, "submit_review_response", **seat, response=response)
    assert done["review_process"]["status"] == "closed", "its one seat is handed in"
    judged = await must(author, "get_submission", submission_id=submission)
    assert judged["submission"]["status"] == "accepted", "the judgment decides"
    step("submit_review_response: the submission is accepted")


def best(answer):
    """The answer that speaks best of the work, whatever its kind: options stand from best to worst in the example."""
    match answer["kind"]:
        case "score":
            return answer["max"]
        case "choice":
            return answer["options"][0]
        case "boolean":
            return True
        case _:
            return "It meets the statement, and says how."
