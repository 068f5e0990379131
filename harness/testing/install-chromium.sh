#!/usr/bin/env bash
# Tests of pages need a Chromium: the one that CHROMIUM names, one that is here, or Debian's, installed as root.
set -euo pipefail
[ -n "${CHROMIUM:-}" ] && exit 0
for name in chromium chromium-browser google-chrome; do command -v "$name" >/dev/null && exit 0; done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  export DEBIAN_FRONTEND=noninteractive
  apt() { apt-get -o DPkg::Lock::Timeout=300 -qq "$@" >/dev/null; }
  echo "installing chromium with apt-get, for the tests of pages" >&2
  apt install -y --no-install-recommends chromium && exit 0
  if apt update && apt install -y --no-install-recommends chromium; then exit 0; fi
fi
echo "make: no Chromium was found; install one or name it in CHROMIUM, or the tests of pages will fail" >&2
