import { describe, expect, it } from 'vitest';
import { acceptedForm } from './accept.js';

describe('acceptedForm', () => {
  it.each([
    [undefined, 'either'],
    ['', 'either'],
    ['*/*', 'either'],
    ['application/json, text/event-stream', 'either'],
    ['application/json,text/event-stream', 'either'],
    ['Application/JSON,Text/Event-Stream;charset=utf-8', 'either'],
    ['application/*, text/*', 'either'],
    ['application/json', 'json'],
    ['text/event-stream', 'sse'],
    ['application/json;q=0.5, text/event-stream', 'sse'],
    ['application/json, text/event-stream;q=0.9', 'json'],
    ['application/json, text/event-stream;q=0', 'json'],
    ['*/*, application/json;q=0', 'sse'],
    ['text/html', 'none'],
    ['text/html, nonsense, /', 'none'],
    ['application/json;q=high', 'none'],
    ['application/jsonp', 'none'],
  ])('should read %j as %s', (header, form) => {
    expect(acceptedForm(header)).toBe(form);
  });
});
