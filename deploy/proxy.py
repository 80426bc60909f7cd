"""nginx's configuration for any number of replicas.

`python deploy/proxy.py --replica 10.0.0.11:8501 --replica 10.0.0.12:8501 --name headcount.example.org > headcount.conf`

A visitor keeps a seat, the number of one replica, in a cookie. The answer says which replica gave it, so a visitor whose
replica was gone sits at the next one from then on, also when the first one is back: pictures, downloads and uploads belong to
the session, and the session is where the websocket is. (nginx's own `hash` of a cookie would send them back and forth.)
"""

import argparse
import base64
import hashlib
import re
import sys
from importlib.util import find_spec
from pathlib import Path

TEMPLATE = Path(__file__).parent / "nginx.conf.template"
#: A replica that failed gets no visitors for so long.
REST = "max_fails=1 fail_timeout=3s"
COOKIE = "headcount_seat=$headcount_seat; Path=/; HttpOnly; SameSite=Lax"


def seats(replicas: list[str], secure: bool = False) -> str:
    """Groups of servers: any of them for a visitor without a seat, and for each seat its own with the others in reserve."""
    lines = ["upstream headcount_any {", "    zone headcount_any 64k;", "    least_conn;"]
    lines += [f"    server {replica} {REST};" for replica in replicas] + ["}"]
    for seat, own in enumerate(replicas, 1):
        lines += [f"upstream headcount_{seat} {{", f"    zone headcount_{seat} 64k;", f"    server {own} {REST};"]
        lines += [f"    server {other} {REST} backup;" for other in replicas if other != own] + ["}"]
    lines += ["map $cookie_headcount_seat $headcount_group {", "    default headcount_any;"]
    lines += [f"    {seat} headcount_{seat};" for seat in range(1, len(replicas) + 1)] + ["}"]
    lines += ["# The last of those that were asked is the one that answered.", "map $upstream_addr $headcount_seat {"]
    lines += ['    default "";']
    lines += [f'    "~(^|[ ,]){re.escape(replica)}$" {seat};' for seat, replica in enumerate(replicas, 1)] + ["}"]
    lines += ['map "$headcount_seat/$cookie_headcount_seat" $headcount_cookie {']
    lines += [f'    default "{COOKIE}{"; Secure" if secure else ""}";', '    "~^/" "";', r'    "~^(.+)/\1$" "";', "}"]
    return "\n".join(lines)


def script_hash() -> str:
    """The hash of the one inline script in the index page of the Streamlit that is installed, as a content policy names it."""
    page = Path(find_spec("streamlit").origin).parent / "static" / "index.html"
    (script,) = re.findall(r"<script>(.*?)</script>", page.read_text(encoding="utf-8"), re.DOTALL)
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def configuration(
    replicas: list[str], names: str = "_", listen: str = "80", cache: str = "/var/cache/nginx/headcount",
    framed_by: str = "'self'", hash_of_script: str | None = None, secure: bool = False,
) -> str:  # fmt: skip
    """The whole file. `framed_by`: the sites that may show the app in a frame, as in a content policy."""
    values = {
        "SEATS": seats(replicas, secure), "CACHE": cache, "LISTEN": listen, "NAMES": names, "FRAMED_BY": framed_by,
        "SCRIPT_HASH": hash_of_script or script_hash(),
    }  # fmt: skip
    return re.sub(r"@([A-Z_]+)@", lambda name: values[name[1]], TEMPLATE.read_text(encoding="utf-8"))


def main() -> int:
    parser = argparse.ArgumentParser(description="nginx's configuration for Headcount, on standard output")
    parser.add_argument("--replica", action="append", required=True, metavar="ADDRESS:PORT", help="once for each replica")
    parser.add_argument("--name", default="localhost 127.0.0.1", help="what visitors call it (nginx: server_name)")
    parser.add_argument("--listen", default="80")
    parser.add_argument("--cache", default="/var/cache/nginx/headcount", help="a folder that nginx may write")
    parser.add_argument("--framed-by", default="'self'", help="the sites that may show it in a frame")
    parser.add_argument("--secure", action="store_true", help="the site is https: the cookie is sent there only")
    args = parser.parse_args()
    sys.stdout.write(configuration(args.replica, args.name, args.listen, args.cache, args.framed_by, secure=args.secure))
    return 0


if __name__ == "__main__":
    sys.exit(main())
