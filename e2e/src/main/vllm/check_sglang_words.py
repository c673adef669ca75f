"""Reads lines of JSON, each a list of the words behind `sglang serve`, and says for each what SGLang's own parser makes of them: one line of
JSON, null if it takes them, else its complaint. Nothing is started.
"""

import argparse
import contextlib
import io
import json
import sys

from sglang.srt.server_args import ServerArgs


def complaint(parser: argparse.ArgumentParser, words: list[str]) -> str | None:
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            parser.parse_args(words)
        return None
    except SystemExit:
        return errors.getvalue().strip().splitlines()[-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    for line in sys.stdin:
        print(json.dumps(complaint(parser, json.loads(line))))
