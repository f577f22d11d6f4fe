"""``orthoprox completion``: what a real shell completes."""

import shutil
import subprocess

import pytest

from orthoprox.cli.__main__ import COMMANDS, parser
from orthoprox.cli.__main__ import main as cli

NAMES = ["spca", "transform", "path", "compare", "list", "compile", "completion", "reproduce"]


@pytest.fixture
def script(tmp_path, capsys):
    def make(shell):
        assert cli(["completion", shell]) == 0
        path = tmp_path / f"orthoprox.{shell}"
        path.write_text(capsys.readouterr().out)
        return path

    return make


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bash(script, words, folder):
    """What bash completes after these words, of which the last is begun."""
    if shutil.which("bash") is None:
        pytest.skip("There is no bash.")
    quoted = " ".join(f"'{word}'" for word in words)
    words = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}"
    code = f"source '{script}'; {words}; _orthoprox; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    return run("bash", "--norc", "-u", "-c", code, cwd=folder).split()


def test_every_command_is_completed(script, tmp_path):
    found = bash(script("bash"), ["orthoprox", ""], tmp_path)
    assert len(NAMES) == len(COMMANDS)
    assert set(found) == {*NAMES, "-h", "--help", "--version", "--debug"}
    assert bash(script("bash"), ["orthoprox", "comp"], tmp_path) == ["compare", "compile", "completion"]


def test_options_values_and_files_are_completed(script, tmp_path):
    (tmp_path / "wine.csv").write_text("")
    made = script("bash")
    assert bash(made, ["orthoprox", "spca", "--nonn"], tmp_path) == ["--nonnegative"]
    assert bash(made, ["orthoprox", "spca", "--penalty", "l"], tmp_path) == ["l1", "l21"]
    assert bash(made, ["orthoprox", "--debug", "spca", "wi"], tmp_path) == ["wine.csv"]
    assert bash(made, ["orthoprox", "path", "wine.csv", "--out", "w"], tmp_path) == ["wine.csv"]
    assert bash(made, ["orthoprox", "completion", "z"], tmp_path) == ["zsh"]
    assert bash(made, ["orthoprox", "compare", "--penalty"], tmp_path) == []


def test_every_option_of_every_command_is_completed(script, tmp_path):
    made = script("bash")
    inner = next(action for action in parser()._actions if hasattr(action, "_choices_actions")).choices
    for name, part in inner.items():
        expected = {option for action in part._actions for option in action.option_strings}
        assert set(bash(made, ["orthoprox", name, "-"], tmp_path)) == expected


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_read_the_script(script, shell):
    made = script(shell)
    text = made.read_text()
    assert all(name in text for name in NAMES)
    assert "no-refit" in text
    if shutil.which(shell) is None:
        pytest.skip(f"There is no {shell}.")
    run(shell, "-n", made)


def test_fish_completes_commands_and_values(script):
    if shutil.which("fish") is None:
        pytest.skip("There is no fish.")
    made = script("fish")
    found = run("fish", "--no-config", "-c", f"source {made}; complete -C 'orthoprox spca --penalty l'")
    assert [line.split("\t")[0] for line in found.splitlines()] == ["l1", "l21"]


def test_another_shell_is_refused_in_one_line(capsys):
    with pytest.raises(SystemExit):
        cli(["completion", "tcsh"])
    assert "tcsh" in capsys.readouterr().err
