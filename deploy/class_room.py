"""Serves the app to everybody in this network, such as a class with its phones: `make class`.

Prints the address of a room in which phones vote, the QR code of this address, and the lecturer's own link. Then it starts the
server. The script finds the address of this machine itself."""

import argparse
import os
import socket
import sys

import segno

from components.app.votes import SECRET, VARIABLE, new_code, signature


def own_address() -> str:
    """Returns this machine's address in its network, or 127.0.0.1 if it has no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for examples (RFC 5737): chooses the network, sends nothing
        except OSError:
            return "127.0.0.1"
        return probe.getsockname()[0]


def main() -> None:
    parser = argparse.ArgumentParser(description="The app for everybody in this network. All other options are Streamlit's.")
    parser.add_argument("--server.port", dest="port", type=int, default=8501, metavar="PORT")
    args, others = parser.parse_known_args()
    address = own_address()
    url, code = f"http://{address}:{args.port}/", new_code()
    phones = f"{url}?room={code}"
    sys.stdout.write(f"\nEverybody in this network: {url}\nPhones, to vote: {phones}\n\n")
    segno.make(phones, error="m").terminal(sys.stdout, compact=True)
    sys.stdout.write(f"\nYour own screen, for nobody else: {phones}&lead={signature(code)}&present=1\n\n")
    os.environ[VARIABLE] = SECRET  # by which the server knows its lecturer
    sys.stdout.flush()
    served = ("--server.port", str(args.port), "--server.address", "0.0.0.0", "--browser.serverAddress", address)
    command = (sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true", *served, *others)
    os.execv(sys.executable, command)


if __name__ == "__main__":
    main()
