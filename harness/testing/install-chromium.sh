#!/usr/bin/env bash
# Tests of pages need a Chromium: the one that CHROMIUM names, one that is here, or Debian's, installed as root.
set -euo pipefail
[ -n "${CHROMIUM:-}" ] && exit 0
for name in chromium chromium-browser google-chrome; do command -v "$name" >/dev/null && exit 0; done
"$(dirname "$0")/apt-install.sh" chromium 'the tests of pages' && exit 0
echo "make: no Chromium was found; install one or name it in CHROMIUM, or the tests of pages will fail" >&2
