import * as sdk from '@a2a-js/sdk/errors';
import { describe, expect, it } from 'vitest';
import { DomainError, taskNotFound } from '../../domain/errors.js';
import { jsonRpcError, restErrorBody, wireError } from './error-body.js';
import { ERROR_TABLE } from './error-table.js';
import { InvalidParams } from './invalid-params.js';

describe('the error table', () => {
  it.each([
    ['TASK_NOT_FOUND', sdk.RestTaskNotFoundError, sdk.A2A_ERROR_CODE.TASK_NOT_FOUND],
    ['TASK_NOT_CANCELABLE', sdk.RestTaskNotCancelableError, sdk.A2A_ERROR_CODE.TASK_NOT_CANCELABLE],
    [
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      sdk.RestPushNotificationNotSupportedError,
      sdk.A2A_ERROR_CODE.PUSH_NOTIFICATION_NOT_SUPPORTED,
    ],
    [
      'UNSUPPORTED_OPERATION',
      sdk.RestUnsupportedOperationError,
      sdk.A2A_ERROR_CODE.UNSUPPORTED_OPERATION,
    ],
    [
      'CONTENT_TYPE_NOT_SUPPORTED',
      sdk.RestContentTypeNotSupportedError,
      sdk.A2A_ERROR_CODE.CONTENT_TYPE_NOT_SUPPORTED,
    ],
    [
      'INVALID_AGENT_RESPONSE',
      sdk.RestInvalidAgentResponseError,
      sdk.A2A_ERROR_CODE.INVALID_AGENT_RESPONSE,
    ],
    [
      'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
      sdk.RestExtendedAgentCardNotConfiguredError,
      sdk.A2A_ERROR_CODE.EXTENDED_CARD_NOT_CONFIGURED,
    ],
    [
      'EXTENSION_SUPPORT_REQUIRED',
      sdk.RestExtensionSupportRequiredError,
      sdk.A2A_ERROR_CODE.EXTENSION_SUPPORT_REQUIRED,
    ],
    [
      'VERSION_NOT_SUPPORTED',
      sdk.RestVersionNotSupportedError,
      sdk.A2A_ERROR_CODE.VERSION_NOT_SUPPORTED,
    ],
    ['INVALID_PARAMS', sdk.RestRequestMalformedError, sdk.A2A_ERROR_CODE.INVALID_PARAMS],
  ] as const)('should agree with the SDK on %s', (code, SdkError, rpcCode) => {
    const theirs = sdk.toRestErrorBody(
      new SdkError({ message: 'text' }),
      sdk.restStatusFor(new SdkError()),
    );
    const ours = restErrorBody(wireError(new DomainError(code, 'text'), 'r'));
    expect(ours).toEqual(JSON.parse(JSON.stringify(theirs)));
    expect(ERROR_TABLE[code]).toMatchObject({
      jsonRpcCode: rpcCode,
      httpStatus: sdk.restStatusFor(new SdkError()),
      jsonRpcHttp: 'ok',
    });
  });

  it('should keep the HTTP status of our own errors in JSON-RPC, and only of those', () => {
    for (const row of Object.values(ERROR_TABLE)) {
      expect(row.jsonRpcHttp === 'status').toBe(row.domain === 'nightjar');
    }
  });
});

describe('wireError', () => {
  it('should carry metadata as ErrorInfo', () => {
    expect(jsonRpcError(wireError(taskNotFound('t-1'), 'r'))).toEqual({
      code: -32001,
      message: 'Task not found',
      data: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'TASK_NOT_FOUND',
          domain: 'a2a-protocol.org',
          metadata: { taskId: 't-1' },
        },
      ],
    });
  });

  it('should list field violations as BadRequest', () => {
    const violations = [
      { field: 'message.role', description: 'must be ROLE_USER' },
      { field: 'message.parts', description: 'must not be empty' },
    ];
    const error = wireError(new InvalidParams(violations), 'r');
    expect(error.message).toContain('message.role must be ROLE_USER; message.parts must not');
    expect(error.details[1]).toEqual({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: violations,
    });
  });

  it.each([new Error('redis://:pw@host'), 'a string', undefined, { message: 'secret' }])(
    'should say nothing of %o but the request id',
    (thrown) => {
      const error = wireError(thrown, 'req-9');
      expect(error.unknown).toBeDefined();
      expect(JSON.stringify(restErrorBody(error))).not.toMatch(/redis|secret|string/);
      expect(error.message).toContain('req-9');
      expect(error.row).toBe(ERROR_TABLE.INTERNAL);
    },
  );

  it('should ask for a log line of an INTERNAL with its cause', () => {
    const cause = new Error('why');
    expect(wireError(new DomainError('INTERNAL', 'Sorry', { cause }), 'r').unknown).toBe(cause);
    expect(wireError(taskNotFound('x'), 'r').unknown).toBeUndefined();
  });
});
