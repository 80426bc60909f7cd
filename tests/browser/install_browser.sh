#!/bin/sh
# Prints the command that starts a Chromium, installing one where there is none.
# $1: the Python whose Playwright may fetch a browser of its own, as the last resort.
set -u

works() { [ -n "$1" ] && command -v "$1" >/dev/null 2>&1 && "$1" --version >/dev/null 2>&1; }

find_browser() {
    for browser in chromium chromium-browser google-chrome google-chrome-stable \
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
        "/Applications/Chromium.app/Contents/MacOS/Chromium"; do
        if works "$browser"; then command -v "$browser"; return 0; fi
    done
    return 1
}

own_browser() {
    own=$("$1" -c 'from playwright.sync_api import sync_playwright
with sync_playwright() as p: print(p.chromium.executable_path)' 2>/dev/null)
    works "$own" && echo "$own"
}

if [ -n "${CHROMIUM:-}" ]; then
    if works "$CHROMIUM"; then echo "$CHROMIUM"; exit 0; fi
    echo "CHROMIUM is set to '$CHROMIUM', and that does not start: unset it, or name a Chromium that does." >&2
    exit 1
fi
find_browser && exit 0
own_browser "$1" && exit 0

echo "No Chromium found: installing one for the browser tests." >&2
if command -v apt-get >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then root=""; else root="sudo -n"; fi
    export DEBIAN_FRONTEND=noninteractive
    { $root apt-get update -q && $root apt-get install -y -q --no-install-recommends chromium; } >&2
    find_browser && exit 0
fi
"$1" -m playwright install chromium >&2 && own_browser "$1" && exit 0

echo "No Chromium for the browser tests, and none could be installed. Install Chromium or Chrome, or set CHROMIUM" \
    "to one, or leave these tests out: make test ARGS=\"-m 'not browser'\"" >&2
exit 1
