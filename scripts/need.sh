#!/bin/sh
# Installs the services that a make target needs and that this machine lacks: by apt-get (as root, or
# with sudo) or by brew. Elsewhere it says in one sentence what to install.
#
# usage: need.sh PROGRAM[,ALTERNATIVE…]:APT_PACKAGE:BREW_FORMULA …
set -eu
PATH="$PATH:/usr/sbin:/sbin"

missing='' apt='' brew=''
for need in "$@"; do
  programs=${need%%:*} packages=${need#*:}
  found=''
  for program in $(echo "$programs" | tr ',' ' '); do
    if command -v "$program" >/dev/null 2>&1; then found=$program; fi
  done
  if [ -z "$found" ]; then
    missing="$missing ${programs%%,*}" apt="$apt ${packages%%:*}" brew="$brew ${packages#*:}"
  fi
done
if [ -z "$missing" ]; then exit 0; fi

if command -v apt-get >/dev/null 2>&1; then
  if [ "$(id -u)" = 0 ]; then
    sudo=''
  elif command -v sudo >/dev/null 2>&1; then
    sudo='sudo'
  else
    echo "Missing:$missing. Install the packages$apt as root (apt-get install$apt), then run make again." >&2
    exit 1
  fi
  echo "Installing$apt with apt-get (missing:$missing)"
  # A mirror that does not answer is no reason to give up: the lists at hand may do.
  $sudo apt-get update -qq </dev/null || true
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $apt </dev/null
elif command -v brew >/dev/null 2>&1; then
  echo "Installing$brew with brew (missing:$missing)"
  # shellcheck disable=SC2086
  brew install $brew </dev/null
else
  echo "Missing:$missing. Install them with your package manager (Debian's names:$apt), then run make again." >&2
  exit 1
fi
