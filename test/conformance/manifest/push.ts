import { A2A } from '../support/cells.js';
import { must, type Requirement } from './requirement.js';

export const PUSH: readonly Requirement[] = [
  must(
    'PUSH-CONFIGS',
    A2A,
    'Webhooks are made, read, listed and deleted on any instance; neither token nor credentials are ever shown again.',
    'N60 S3 V17 P42 K17',
    'A2A 3.1.7',
    'A2A 3.1.10',
  ),
  must(
    'PUSH-OFF',
    A2A,
    'Where webhooks are switched off every operation on them is -32003, also for a task that does not exist, and an inline one starts nothing.',
    'P42',
    'A2A 3.3.4',
  ),
  must(
    'PUSH-DELIVERED',
    A2A,
    'A webhook of a send is told of the task from its start to its end, in order, with its token and credentials in the headers, in the version that registered it, blocking or not.',
    'N60 P42 K18',
    'A2A 4.3.3',
  ),
  must(
    'PUSH-RETRIED',
    A2A,
    'What a webhook does not confirm is told again, and nothing later before it.',
    'P42 K18',
    'A2A 13.2',
  ),
  must(
    'PUSH-URL',
    A2A,
    'URLs that are not https, or lead to loopback, private, link-local or metadata addresses however they are written, are refused, alone and in a send that then starts nothing.',
    'P42 K15',
    'A2A 13.2',
  ),
  must(
    'PUSH-HEADERS',
    A2A,
    'Line ends in a token or in credentials, and a scheme without credentials, are refused without repeating them.',
    'P42 K16',
  ),
  must(
    'PUSH-TASK',
    ['rest-1.0'],
    'The path says whose webhook it is: a body that names another task is refused.',
    'K29 P44',
  ),
];
