import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../domain/a2a.js';
import { type FrozenCall, turnOf } from './frozen-call.js';

interface Given {
  readonly request?: JsonObject;
  readonly message?: JsonObject;
  readonly data?: JsonValue;
}

function turnFor({ request = {}, message, data }: Given) {
  const call: FrozenCall = {
    ctx: { tenant: 'acme', user: 'ann', scopes: [], requestId: 'r' },
    message: {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'why?' }, ...(data === undefined ? [] : [{ data }])],
      ...(message === undefined ? {} : { metadata: message }),
    },
    messageId: 'm',
    metadata: request,
    leg: 1,
  };
  return turnOf(call, { taskId: 't', contextId: 'c', turn: 1 }, 1, []);
}

const PAGE = { path: '/alerts', params: { id: 7 } };
const ACTION = { rule_id: 12 };

describe('the metadata of n9e', () => {
  it('should reach the assistant: lang, timezone, page and action_param', () => {
    const request = { lang: 'zh_CN', timezone: 'Asia/Shanghai', page: PAGE, action_param: ACTION };
    const expected = { lang: 'zh_CN', timezone: 'Asia/Shanghai', page: PAGE, actionParam: ACTION };
    expect(turnFor({ request })).toMatchObject(expected);
    expect(turnFor({ message: request })).toMatchObject(expected);
  });

  it('should be that of the request where both have it, and a data part in place of action_param', () => {
    const message = { lang: 'en', page: 'other', action_param: { other: true } };
    const request = { lang: 'zh', page: PAGE, action_param: ACTION };
    const turn = turnFor({ request, message, data: { last: 1 } });
    expect(turn).toMatchObject({ lang: 'zh', page: PAGE, actionParam: ACTION });
    expect(turnFor({ data: { last: 1 } }).actionParam).toEqual({ last: 1 });
  });

  it('should be left out where it is of another shape', () => {
    const turn = turnFor({ request: { lang: 7, timezone: '', action_param: 'run' } });
    for (const key of ['lang', 'timezone', 'page', 'actionParam']) {
      expect(turn).not.toHaveProperty(key);
    }
  });
});
