import { A2A, CARDS } from '../support/cells.js';
import { must, type Requirement } from './requirement.js';

export const CARD: readonly Requirement[] = [
  must(
    'CARD-PUBLIC',
    CARDS,
    'The agent card is served without a token, the same at agent-card.json and agent.json.',
    'N8 N9 S1 V3',
    'A2A 8.2',
  ),
  must(
    'CARD-SHAPE',
    CARDS,
    'A2A-Version: 1.0 gets the pure 1.0 card; without it the card has the fields of 0.3, with the 1.0 interfaces beside them.',
    'V16 K1 P45',
    'A2A 4.4.1',
  ),
  must(
    'CARD-INTERFACES',
    CARDS,
    'Each interface that the card names answers at its absolute URL in its version.',
    'N1 S2 V3 P45',
    'A2A 8.3.1',
  ),
  must(
    'CARD-AUTH',
    CARDS,
    'Both schemes are declared and required in the version’s own JSON, the API key under the name x-user-token with the configured header, and both work.',
    'N6 N13 N14 N15 V47 K1',
    'A2A 4.5',
  ),
  must(
    'CARD-CAPABILITIES',
    CARDS,
    'Streaming and the extended card are declared, webhooks as they are configured.',
    'N16 S3 V17 P46',
    'A2A 4.4.3',
  ),
  must(
    'CARD-SKILL',
    CARDS,
    'The skill n9e-assistant has examples in English and Chinese; the modes are text/plain.',
    'N17 N18',
    'A2A 4.4.5',
  ),
  must(
    'CARD-CACHE',
    CARDS,
    'The card has ETag, Cache-Control, Last-Modified and varies by A2A-Version; If-None-Match gets 304.',
    'P45',
    'A2A 8.6',
  ),
  must(
    'CARD-BASE-URL',
    CARDS,
    'URLs are those of publicUrl, else of Host and what a trusted proxy forwards; markup in them is left out.',
    'N5 S10 S11 V44 P45',
    'A2A 8.6',
  ),
  must(
    'CARD-NO-SECRET',
    CARDS,
    'The public card names no tenant, no token and nothing of the configuration.',
    'V23',
    'A2A 13.3',
  ),
  must(
    'CARD-SIGNED',
    CARDS,
    'The signature verifies over the canonical JSON as served, with the published key; a changed card does not.',
    'K2 P45',
    'A2A 8.4',
  ),
  must(
    'CARD-EXTENDED',
    A2A,
    'Whoever has a token gets the card of the own tenant with its skills and limits; nobody else does.',
    'P46 V22',
    'A2A 3.1.11',
  ),
];
