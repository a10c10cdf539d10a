"""Placeholders in the commands of the evidence, and a claim's arguments."""

from __future__ import annotations

import pytest

from faithmeter.verify.placeholders import filled

UNDO = "You can roll back with kubectl rollout undo deployment/NAME. A revision is named with --to-revision."


@pytest.mark.parametrize(
    ("claim", "evidence", "read"),
    [
        ("Run `kubectl rollout undo deployment/web` to go back.", UNDO, UNDO.replace("NAME", "web")),
        ("Run `docker stop web-1`.", "Stop it with `docker stop <container>`.", "Stop it with `docker stop web-1`."),
        ("Run `docker stop web-1`.", "`docker stop <container name>` stops it.", "`docker stop web-1` stops it."),
        ("Use `git push origin main`.", "Use `git push origin {branch}`.", "Use `git push origin main`."),
        ("Use `git push origin main`.", "Use git push $REMOTE ${BRANCH}", "Use git push origin main"),
        ("`cat notes.txt` shows it.", "To show a file: cat [file].", "To show a file: cat notes.txt."),
        ("`ssh ann@10.0.0.7` logs in.", "Log in with `ssh USER@HOST`.", "Log in with `ssh ann@10.0.0.7`."),
        ("`helm upgrade shop ./chart`", "helm upgrade my-app ./chart", "helm upgrade shop ./chart"),
        ("`kubectl logs web --since=1h`", "kubectl logs POD_NAME --since=1h", "kubectl logs web --since=1h"),
        ("`tail -n 5 a.log`", "`tail -n N FILE`", "`tail -n 5 a.log`"),
        ("`scp a.txt ann@web:/srv`", "scp FILE USER@HOST:PATH", "scp a.txt ann@web:/srv"),
        ("`cat /etc/hosts`", "Show it with: cat <file>", "Show it with: cat /etc/hosts"),
    ],
)
def test_the_claims_arguments_are_read_in_their_place(claim: str, evidence: str, read: str) -> None:
    assert filled(evidence, claim) == read


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Run `kubectl rollout pause deployment/web`.", UNDO),  # another subcommand
        ("Run `kubectl rollout undo statefulset/web`.", UNDO),  # a fixed value
        ("Run `kubectl rollout undo deployment/web --force`.", UNDO),  # an option more
        ("Run `oc rollout undo deployment/web`.", UNDO),  # another program
        ("Run `kubectl rollout undo`.", UNDO),
        ("Run kubectl rollout undo deployment/web.", UNDO),  # where it ends cannot be seen
        ("Run `kubectl rollout undo deployment/NAME`.", UNDO.replace("NAME", "web")),  # the other way round
        ("`kubectl scale web --replicas=3`", "`kubectl scale NAME --replicas=2`"),
        ("`kubectl logs web -f`", "`kubectl logs NAME -p`"),
        ("`kubectl logs web`", "`kubectl logs NAME --previous`"),  # an option less
        ("`kubectl logs web`", "kubectl logs NAME --previous shows the last one."),
        ("`kubectl logs --previous`", "`kubectl logs NAME`"),  # an option is no argument
        ("`cp a.txt b.txt`", "cp FILE"),
        ("`cp a.txt`", "cp FILE DEST"),
        ("`curl -X DELETE https://a.example`", "`curl -X POST URL`"),
        ("`git reset main`", "`git reset HEAD`"),
        ("`echo hello`", "`echo $PATH`"),
        ("`HOST=80 npm start`", "`PORT=80 npm start`"),
        ("`env HOST=80`", "`env PORT=80`"),
        ("`docker stop web`", "Stop a docker stop. <container>"),
        ("`print x[1]`", "`print x[index]`"),
        ("`<i>`", "`<b>`"),
        ("`cp a.txt b.txt`", "`cp FILE FILE`"),  # one name, one value
        (f"`run {'a-' * 50}!`", f"`run {'N-' * 50}N`"),  # and quick
        ("`git push origin main`", "`git pull origin BRANCH`"),
    ],
)
def test_what_is_another_command_stays(claim: str, evidence: str) -> None:
    assert filled(evidence, claim) == evidence
