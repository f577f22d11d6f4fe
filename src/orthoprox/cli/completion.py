"""``orthoprox completion``: what a shell completes, written from the parser of the command line."""

import argparse
from dataclasses import dataclass
from typing import Any

_EXAMPLES = """
examples:
  source <(orthoprox completion bash)                                     in ~/.bashrc
  source <(orthoprox completion zsh)                                      in ~/.zshrc, after compinit
  orthoprox completion fish > ~/.config/fish/completions/orthoprox.fish
"""


@dataclass(frozen=True)
class _Option:
    names: tuple[str, ...]
    about: str
    takes: bool  # a value
    choices: tuple[str, ...]


@dataclass(frozen=True)
class _Command:
    name: str  # empty for the program itself
    about: str
    options: tuple[_Option, ...]
    words: tuple[str, ...]  # what may stand alone: commands, or the choices of a positional argument


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "completion",
        help="a script that lets a shell complete commands and options",
        description="Print a script that lets a shell complete commands, options and their values with the tab key.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("shell", choices=tuple(_SHELLS), help="the shell")
    parser.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    from orthoprox.cli.__main__ import parser

    print(_SHELLS[options.shell](_commands(parser())), end="")
    return 0


def _commands(parser: argparse.ArgumentParser) -> list[_Command]:
    """Return the program and its commands."""
    inner = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    about = {action.dest: action.help or "" for action in inner._choices_actions}
    found = [_Command("", "", _options(parser), tuple(inner.choices))]
    return found + [_Command(name, about[name], _options(part), _words(part)) for name, part in inner.choices.items()]


def _options(parser: argparse.ArgumentParser) -> tuple[_Option, ...]:
    actions = [action for action in parser._actions if action.option_strings]
    return tuple(_Option(tuple(a.option_strings), a.help or "", a.nargs != 0, _choices(a)) for a in actions)


def _words(parser: argparse.ArgumentParser) -> tuple[str, ...]:
    return tuple(word for action in parser._actions if not action.option_strings for word in _choices(action))


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(str(choice) for choice in action.choices or ())


def _bash(commands: list[_Command]) -> str:
    lines = []
    for command in commands:
        for option in command.options:
            if option.takes:
                names = "|".join(f"{command.name}:{name}" for name in option.names)
                found = f'compgen -W "{" ".join(option.choices)}"' if option.choices else "compgen -f"
                lines.append(f'    {names}) mapfile -t COMPREPLY < <({found} -- "$current"); return ;;')
    words = [f'    "{command.name}") words="{_all(command)}" ;;' for command in commands]
    names = "|".join(command.name for command in commands if command.name)
    return _BASH.format(names=names, values="\n".join(lines), words="\n".join(words))


_BASH = """# orthoprox: completion for bash
_orthoprox() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" command="" word words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in
    {names}) command="$word"; break ;;
    esac
  done
  case "$command:$previous" in
{values}
  esac
  case "$command" in
{words}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ -n "$command" && "$current" != -* ]]; then
    mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _orthoprox orthoprox
"""


def _all(command: _Command) -> str:
    return " ".join([*command.words, *(name for option in command.options for name in option.names)])


def _zsh(commands: list[_Command]) -> str:
    program, *others = commands
    named = [f"    {_quoted(f'{command.name}:{command.about}')}" for command in others]
    cases = []
    for command in others:
        values = [f'"*: :({" ".join(command.words)})"' if command.words else '"*:file:_files"']
        entries = " ".join([*(_zsh_option(option) for option in command.options), *values])
        cases.append(f"  {command.name}) _arguments {entries} ;;")
    first = " ".join(_zsh_option(option) for option in program.options)
    return _ZSH.format(first=first, named="\n".join(named), cases="\n".join(cases))


_ZSH = """#compdef orthoprox
_orthoprox() {{
  local line state
  local -a commands=(
{named}
  )
  _arguments -C {first} "1: :->command" "*::argument:->argument"
  case $state in
  command) _describe command commands; return ;;
  esac
  case $line[1] in
{cases}
  esac
}}
compdef _orthoprox orthoprox
"""


def _zsh_option(option: _Option) -> str:
    value = "" if not option.takes else f":value:({' '.join(option.choices)})" if option.choices else ":value:_files"
    about = option.about.replace("[", "(").replace("]", ")").replace(":", "\\:")
    return " ".join(_quoted(f"*{name}[{about}]{value}") for name in option.names)


def _fish(commands: list[_Command]) -> str:
    lines = ["# orthoprox: completion for fish"]
    for command in commands:
        here = f"__fish_seen_subcommand_from {command.name}" if command.name else "__fish_use_subcommand"
        if not command.name:
            lines += [f"complete -c orthoprox -f -n {here} -a {other.name} -d {_quoted(other.about)}" for other in commands[1:]]
        elif command.words:
            lines.append(f"complete -c orthoprox -f -n '{here}' -a '{' '.join(command.words)}'")
        lines += [f"complete -c orthoprox -n '{here}' {_fish_option(option)}" for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_option(option: _Option) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = "" if not option.takes else f" -x -a '{' '.join(option.choices)}'" if option.choices else " -r"
    return f"{names}{value} -d {_quoted(option.about)}"


def _quoted(text: str) -> str:
    """Return text between apostrophes, and without some inside, as every shell here reads it."""
    return "'" + text.replace("'", "") + "'"


_SHELLS = {"bash": _bash, "zsh": _zsh, "fish": _fish}
