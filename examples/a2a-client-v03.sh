#!/bin/sh
# An A2A 0.3 client in curl: the same steps as a2a-client-v1.sh, to be read side by side.
#
#   SERVER=http://127.0.0.1:17000 TOKEN=nj_… examples/a2a-client-v03.sh ['a question']
set -eu
SERVER=${SERVER:-http://127.0.0.1:17000}
: "${TOKEN:?set TOKEN to an access token}"
QUESTION=${1:-what is firing?}

# JSON-RPC at /a2a without a version header, as nearly every deployed client sends it. Methods are
# paths, states and roles in small letters, and everything says its kind: {"kind":"text","text": …}.
rpc() {
  curl -sS --fail-with-body -N "$SERVER/a2a" \
    -H "X-User-Token: $TOKEN" -H 'Content-Type: application/json' \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":$2}"
  echo
}
message() {
  printf '{"kind":"message","messageId":"v03-%s-%s","role":"user",%s"parts":[{"kind":"text","text":"%s"}]}' \
    "$$" "$1" "$2" "$3"
}
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | head -n 1; }

echo '== agent card (no token needed)'
curl -sS --fail-with-body "$SERVER/.well-known/agent-card.json"
echo

echo '== message/send: waits for the answer'
ANSWER=$(rpc message/send "{\"message\":$(message send '' "$QUESTION")}")
printf '%s\n' "$ANSWER"
CONTEXT=$(printf '%s\n' "$ANSWER" | field contextId)

echo '== message/stream: events as they come, in the same conversation'
STREAM=$(rpc message/stream "{\"message\":$(message stream "\"contextId\":\"$CONTEXT\"," 'help')}")
printf '%s\n' "$STREAM"
TASK=$(printf '%s\n' "$STREAM" | field taskId)

echo '== tasks/get'
rpc tasks/get "{\"id\":\"$TASK\"}"

# 0.3 has no list over JSON-RPC; see a2a-client-v1.sh.
