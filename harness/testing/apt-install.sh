#!/usr/bin/env bash
# apt-install.sh PACKAGE FOR-WHAT: installs a package of Debian, where this is Debian and we are root. Exit 1 where it could not.
set -euo pipefail
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 1
export DEBIAN_FRONTEND=noninteractive
apt() { apt-get -o DPkg::Lock::Timeout=300 -qq "$@" >/dev/null; }
echo "installing $1 with apt-get, for $2" >&2
apt install -y --no-install-recommends "$1" && exit 0
apt update && apt install -y --no-install-recommends "$1"
