import { must, type Requirement } from './requirement.js';

const CELL = ['admin'] as const;
const SOURCE = 'docs admin';

export const ADMIN: readonly Requirement[] = [
  must(
    'ADMIN-AUTH',
    CELL,
    'Only a token of the scope admin opens it: none or a wrong one is 401, a user’s 403, and nothing of it is on the public listener.',
    '',
    SOURCE,
  ),
  must(
    'ADMIN-ENVELOPE',
    CELL,
    'A refusal is JSON in the envelope of the REST binding, and names every wrong field at once.',
    '',
    SOURCE,
  ),
  must(
    'ADMIN-UNKNOWN',
    CELL,
    'What does not exist is 404, whatever is asked of it; an id of a path never leads elsewhere.',
    '',
    SOURCE,
  ),
  must(
    'ADMIN-SEEN',
    CELL,
    'A tenant is changed and deleted only as it was seen: its ETag changes with each change, and an older one is 412 and changes nothing.',
    '',
    SOURCE,
  ),
  must(
    'ADMIN-NO-SECRET',
    CELL,
    'The secret of a token is in the answer that makes it and nowhere else; neither is what a tenant’s references stand for.',
    '',
    SOURCE,
  ),
  must(
    'ADMIN-SUSPEND',
    CELL,
    'A suspended user gets 403 and a revoked token 401, on every instance; a resumed one goes on.',
    '',
    SOURCE,
  ),
  must(
    'ADMIN-AUDIT',
    CELL,
    'What an admin did, or was refused, is in the audit with who, what and the outcome before it is answered.',
    '',
    SOURCE,
  ),
];
