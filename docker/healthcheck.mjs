// Exit code 0 when the gateway in this container answers 200 on /livez, or on the path given.
const { MANAGEMENT_HOST, MANAGEMENT_PORT, PORT = '17000' } = process.env;
// 0.0.0.0 and :: are addresses to listen on, not to call.
const anywhere = ['', '0.0.0.0', '::'].includes(MANAGEMENT_HOST ?? '');
const host = anywhere ? '127.0.0.1' : MANAGEMENT_HOST;
const port = MANAGEMENT_PORT || String(Number(PORT) + 1000);
const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}/${process.argv[2] ?? 'livez'}`;
try {
  const answer = await fetch(url, { signal: AbortSignal.timeout(4000) });
  process.exitCode = answer.status === 200 ? 0 : 1;
} catch {
  process.exitCode = 1;
}
