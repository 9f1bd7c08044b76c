/**
 * Turns the SDK's event stream for a request into one JSON body: for calls that have nothing to
 * stream, and for clients that take only JSON. Notifications on the stream are left out, and an
 * answer to a batch is the array of its responses. Any other response is returned as it is.
 */
export async function asJson(response: Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !type.startsWith('text/event-stream')) return response;
  const answers = (await response.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length))
    .filter(isAnswer);
  const body = answers.length === 1 ? answers.join() : `[${answers.join(',')}]`;
  return new Response(body, {
    status: response.status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  });
}

function isAnswer(json: string): boolean {
  const message: unknown = JSON.parse(json);
  return typeof message === 'object' && message !== null && !('method' in message);
}
