#!/usr/bin/env bash
# The stepped clock of `make torture` needs libfaketime: one that is here, or Debian's, installed as root.
set -euo pipefail
ls /usr/lib/*/faketime/libfaketimeMT.so.1 /usr/lib*/faketime/libfaketimeMT.so.1 2>/dev/null | grep -q . && exit 0
"$(dirname "$0")/apt-install.sh" faketime 'the stepped clock of torture' && exit 0
echo "make: no libfaketime was found; install the package faketime, or the part clock-step of torture cannot be done and does not pass" >&2
