"""Reads lines of JSON, each a list of the words behind `vllm serve`, and says for each what vLLM itself makes of them: one line of JSON, null
if it would start, else its complaint. Nothing is started.
"""

import argparse
import contextlib
import io
import json
import sys

from vllm.distributed.kv_transfer.kv_connector.factory import KVConnectorFactory
from vllm.entrypoints.launchers.cli_args import make_arg_parser, validate_parsed_serve_args
from vllm.utils.argparse_utils import FlexibleArgumentParser


def complaint(parser: argparse.ArgumentParser, words: list[str]) -> str | None:
    errors = io.StringIO()
    try:
        with contextlib.redirect_stderr(errors):
            arguments = parser.parse_args(words)
            validate_parsed_serve_args(arguments)
        transfer = arguments.kv_transfer_config
        if transfer is not None and transfer.kv_connector not in KVConnectorFactory._registry:
            return f"there is no connector {transfer.kv_connector}"
        return None
    except SystemExit:
        return errors.getvalue().strip().splitlines()[-1]
    except (OSError, TypeError, ValueError) as e:
        return str(e)


if __name__ == "__main__":
    parser = make_arg_parser(FlexibleArgumentParser())
    for line in sys.stdin:
        print(json.dumps(complaint(parser, json.loads(line))))
