#!/bin/sh
# Prints nginx's command, installing it from the distribution where there is none. Exit code 1: there is none to be had.
set -u

find_nginx() {
    for nginx in nginx /usr/sbin/nginx /usr/local/sbin/nginx /opt/homebrew/bin/nginx; do
        if command -v "$nginx" >/dev/null 2>&1; then command -v "$nginx"; return 0; fi
    done
    return 1
}

find_nginx && exit 0
echo "No nginx found: installing it for the tests of deploy/." >&2
if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then root=""; else root="sudo -n"; fi
    export DEBIAN_FRONTEND=noninteractive
    # Installed, not started: nobody wants a service on port 80 here.
    { $root apt-get update -q && RUNLEVEL=1 $root apt-get install -y -q --no-install-recommends nginx-light; } >&2
    find_nginx && exit 0
elif command -v brew >/dev/null 2>&1; then
    brew install --quiet nginx >&2 && find_nginx && exit 0
fi
echo "No nginx, and none could be installed." >&2
exit 1
