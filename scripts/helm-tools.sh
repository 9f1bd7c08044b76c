#!/bin/sh
# Finds or makes what the chart's tests need and prints it for a shell to evaluate:
#   HELM=…  KUBERNETES_VALIDATE=…
# With --possible it makes nothing: where neither helm nor Go is, it says so loudly and exits with 1.
# helm is taken from the PATH, or built by Go from its released module (once; kept in the user's
# cache); kubernetes-validate is a Python package, in a virtual environment of its own there.
set -eu
HELM_VERSION=v3.19.4
VALIDATE_VERSION=1.37.0
CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/nightjar"

helm=$(command -v helm || true)
if [ -z "$helm" ]; then
  helm="$CACHE/helm-$HELM_VERSION/helm"
fi
venv="$CACHE/kubernetes-validate-$VALIDATE_VERSION"
go=$(command -v go || true)
if [ -z "$go" ] && [ -x /usr/local/go/bin/go ]; then go=/usr/local/go/bin/go; fi
if [ "${1:-}" = --possible ]; then
  if [ -x "$helm" ] || [ -n "$go" ]; then exit 0; fi
  echo '********************************************************************' >&2
  echo 'THE CHART IS NOT TESTED HERE: neither helm nor Go is on this machine.' >&2
  echo '********************************************************************' >&2
  exit 1
fi
if [ ! -x "$helm" ]; then
  if [ -z "$go" ]; then
    echo "THE CHART IS NOT TESTED: neither helm nor Go is on this machine. Install helm 3 (https://helm.sh/docs/intro/install/)." >&2
    exit 69
  fi
  echo "Building helm $HELM_VERSION with $("$go" version | cut -d' ' -f3): once, a few minutes" >&2
  # The version of Kubernetes that helm assumes is set by its own releases' build in the same way.
  module=helm.sh/helm/v3
  kube="-X $module/pkg/chartutil.k8sVersionMajor=1 -X $module/pkg/chartutil.k8sVersionMinor=34"
  lint="-X $module/pkg/lint/rules.k8sVersionMajor=1 -X $module/pkg/lint/rules.k8sVersionMinor=34"
  GOBIN="$CACHE/helm-$HELM_VERSION" GOFLAGS=-buildvcs=false \
    nice -n 10 "$go" install \
    -ldflags="-s -w -X $module/internal/version.version=$HELM_VERSION $kube $lint" \
    "$module/cmd/helm@$HELM_VERSION" >&2
fi

if [ ! -x "$venv/bin/kubernetes-validate" ]; then
  if ! python3 -m venv "$venv" >&2; then
    echo "THE CHART IS NOT TESTED: python3 with venv is missing (apt-get install python3-venv)." >&2
    exit 69
  fi
  "$venv/bin/pip" install --quiet --disable-pip-version-check "kubernetes-validate==$VALIDATE_VERSION" >&2
fi

echo "HELM='$helm'"
echo "KUBERNETES_VALIDATE='$venv/bin/kubernetes-validate'"
