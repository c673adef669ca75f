"""Prints every flag of the installed vLLM's `serve` as tab-separated lines: spelling(s), kind, type, choices. Nothing is started.

kind: flag (no value), not (the --no- form of a flag comes with it), one, maybe (value optional), some (one or more values), many (any
number). The simulated engine reads the output as a resource, so that it accepts exactly what vLLM accepts.
"""

import argparse

from vllm.entrypoints.launchers.cli_args import make_arg_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser


def kind(action: argparse.Action) -> str:
    if isinstance(action, argparse.BooleanOptionalAction):
        return "not"
    if action.nargs == 0:
        return "flag"
    return {None: "one", "?": "maybe", "*": "many", "+": "some"}[action.nargs]


if __name__ == "__main__":
    parser = make_arg_parser(FlexibleArgumentParser())
    for action in sorted(parser._actions, key=lambda a: a.option_strings):
        if action.option_strings:
            names = ",".join(n for n in action.option_strings if not n.startswith("--no-") or kind(action) != "not")
            kinds = getattr(action.type, "__name__", "") if action.type else ""
            print(names, kind(action), kinds, ",".join(map(str, action.choices or [])), sep="\t")
