import { A2A } from '../support/cells.js';
import { must, type Requirement } from './requirement.js';

export const FILE: readonly Requirement[] = [
  must(
    'FILE-INLINE',
    A2A,
    'Files up to 256 KiB are in the answer, up to 1 MiB of them; whatever is larger or more is a link with the caller’s base URL.',
    'V41 V42 V43 V44',
    'A2A 4.1.6',
  ),
  must(
    'FILE-LINK',
    A2A,
    'The link gives the bytes to the owner, from any instance, as an attachment of its own type, never to be run by a browser; to anybody else it is unknown.',
    'V6 V43 V47 P44',
  ),
  must(
    'FILE-LONG',
    A2A,
    'No document or event is over 3 MiB: an answer that is too long for its task goes on in files, of which nothing is lost.',
    'S97',
  ),
  must('FILE-NAMES', ['rest-1.0'], 'File names are plain and cannot lead elsewhere.', 'V45'),
];
