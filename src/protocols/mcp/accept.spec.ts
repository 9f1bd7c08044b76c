import { describe, expect, it } from 'vitest';
import { acceptedForms } from './accept.js';

describe('acceptedForms', () => {
  it.each([
    [undefined, true, true],
    ['', true, true],
    ['*/*', true, true],
    ['application/json, text/event-stream', true, true],
    ['Application/JSON,Text/Event-Stream;charset=utf-8', true, true],
    ['application/*, text/*', true, true],
    ['application/json', true, false],
    ['text/event-stream', false, true],
    ['application/json;q=0.5, text/event-stream', true, true],
    ['application/json, text/event-stream;q=0.9', true, false],
    ['application/json, text/event-stream;q=0', true, false],
    ['*/*, application/json;q=0', false, true],
    ['text/html', false, false],
    ['text/html, nonsense, /', false, false],
    ['application/json;q=high', false, false],
    ['application/jsonp', false, false],
  ])('should read %j as json %s, sse %s', (header, json, sse) => {
    expect(acceptedForms(header)).toEqual({ json, sse });
  });
});
