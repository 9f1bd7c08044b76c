#!/bin/sh
# An A2A 1.0 client in curl: the same steps as a2a-client-v03.sh, to be read side by side.
#
#   SERVER=http://127.0.0.1:17000 TOKEN=nj_… examples/a2a-client-v1.sh ['a question']
set -eu
SERVER=${SERVER:-http://127.0.0.1:17000}
: "${TOKEN:?set TOKEN to an access token}"
QUESTION=${1:-what is firing?}

# JSON-RPC at /a2a/v1: the path is the version. Methods are in PascalCase, states and roles in
# capitals, and a part is what it holds: {"text": …}.
rpc() {
  curl -sS --fail-with-body -N "$SERVER/a2a/v1" \
    -H "X-User-Token: $TOKEN" -H 'Content-Type: application/json' -H 'A2A-Version: 1.0' \
    -d "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"$1\",\"params\":$2}"
  echo
}
# REST under /a2a: the same operations as plain HTTP.
rest() {
  method=$1 path=$2
  shift 2
  curl -sS --fail-with-body -N -X "$method" "$SERVER/a2a$path" \
    -H "X-User-Token: $TOKEN" -H 'Content-Type: application/json' "$@"
  echo
}
message() {
  printf '{"messageId":"v1-%s-%s","role":"ROLE_USER",%s"parts":[{"text":"%s"}]}' "$$" "$1" "$2" "$3"
}
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" | head -n 1; }

echo '== agent card (no token needed)'
curl -sS --fail-with-body "$SERVER/.well-known/agent-card.json" -H 'A2A-Version: 1.0'
echo

echo '== SendMessage: waits for the answer'
ANSWER=$(rpc SendMessage "{\"message\":$(message send '' "$QUESTION")}")
printf '%s\n' "$ANSWER"
TASK=$(printf '%s\n' "$ANSWER" | sed 's/.*"result":{"task":{"id":"\([^"]*\)".*/\1/')
CONTEXT=$(printf '%s\n' "$ANSWER" | field contextId)

echo '== SendStreamingMessage: events as they come, in the same conversation'
rpc SendStreamingMessage "{\"message\":$(message stream "\"contextId\":\"$CONTEXT\"," 'help')}"

echo '== GetTask'
rpc GetTask "{\"id\":\"$TASK\"}"

echo '== ListTasks'
rpc ListTasks "{\"contextId\":\"$CONTEXT\"}"

echo '== the same over REST: message:send, tasks/{id}, tasks'
rest POST /message:send -d "{\"message\":$(message rest "\"contextId\":\"$CONTEXT\"," 'help')}"
rest GET "/tasks/$TASK"
rest GET "/tasks?contextId=$CONTEXT&pageSize=2"
