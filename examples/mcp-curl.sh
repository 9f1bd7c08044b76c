#!/bin/sh
# MCP in curl, first as clients up to 2025-11-25 speak it, then as those of 2026-07-28 do.
#
#   SERVER=http://127.0.0.1:17000 TOKEN=nj_… examples/mcp-curl.sh ['a question']
set -eu
SERVER=${SERVER:-http://127.0.0.1:17000}
: "${TOKEN:?set TOKEN to an access token}"
QUESTION=${1:-what is firing?}

post() {
  body=$1
  shift
  curl -sS --fail-with-body -N "$SERVER/mcp" -H "Authorization: Bearer $TOKEN" \
    -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
    "$@" -d "$body"
  echo
}

echo '== 2025-11-25: initialize, then calls; there is no session to keep'
post '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'
post '{"jsonrpc":"2.0","method":"notifications/initialized"}'
post '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' -H 'MCP-Protocol-Version: 2025-11-25'
# The progressToken asks for the steps on the way.
ANSWER=$(post '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"n9e_assistant","arguments":{"message":"'"$QUESTION"'"},"_meta":{"progressToken":"p1"}}}' \
  -H 'MCP-Protocol-Version: 2025-11-25')
printf '%s\n' "$ANSWER"
CHAT=$(printf '%s\n' "$ANSWER" | sed -n 's/.*"structuredContent":.*"chat_id":"\([^"]*\)".*/\1/p')

echo '== 2026-07-28: every request says who it is, and its headers repeat what it wants'
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}'
post '{"jsonrpc":"2.0","id":4,"method":"server/discover","params":{'"$META"'}}' \
  -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: server/discover'
post '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"n9e_assistant","arguments":{"message":"help","chat_id":"'"$CHAT"'"},'"$META"'}}' \
  -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: n9e_assistant'
