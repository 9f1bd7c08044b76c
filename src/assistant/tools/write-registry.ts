import type { WriteTool } from '../writes/write-tool.js';
import { createSilence } from './create-silence.tool.js';
import { expireSilence } from './expire-silence.tool.js';

/**
 * Every tool that changes something. They stand apart from TOOLS: none is carried out but by a plan
 * that the tenant's policy lets pass (writes/carry-out.ts).
 */
export const WRITE_TOOLS: readonly WriteTool[] = [createSilence, expireSilence];
