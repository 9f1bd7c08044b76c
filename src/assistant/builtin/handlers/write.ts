import { createSilence } from '../../tools/create-silence.tool.js';
import { expireSilence } from '../../tools/expire-silence.tool.js';
import { ToolInputError } from '../../tools/tool.js';
import { WRITE_TOOLS } from '../../tools/write-registry.js';
import type { WriteTool } from '../../writes/write-tool.js';
import { understood } from '../answer/understood.js';
import type { Question } from '../parse/question.js';
import type { Vocabulary } from '../parse/vocabulary.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { beginSilence } from './begin-silence.js';
import { endSilence } from './end-silence.js';

const END =
  /\b(?:expire|unsilence|unmute)\b|\b(?:remove|delete|cancel|stop|end|lift|drop|take off|clear)\b.*\b(?:silences?|mutes?)\b|(?:取消|解除|删除|删掉|撤[销掉下除回]|结束|停止|关闭|关掉).*(?:静默|屏蔽|静音)|(?:静默|屏蔽|静音)(?!.*[到至].*(?:结束|停止)).*(?:取消|解除|删除|删掉|撤[销掉下除回]|结束|停止|关掉)/iu;
const BEGIN =
  /\b(?:silence|mute|snooze|suppress)\b|\b(?:don['’]?t|do not|stop)\s+(?:page|paging|alert|alerting|bother|bothering|notify|notifying|wake)\b|静默|屏蔽|静音|抑制|(?:别|不要|免)再?(?:打扰|通知|报警|告警|吵|叫)/iu;
/** It asks whether to, and orders nothing. */
const ASKS_WHETHER =
  /^[^\p{L}]*(?:(?:so|ok|hi|hello|hey)[,\s]+)?(?:(?:should|shall|must|can|may|could)\s+(?:i|we|one)\b|(?:do|would)\s+(?:i|we|you)\s+(?:have|need|want|think|recommend|suggest|advise)\b|is it (?:ok|okay|safe|wise|a good idea)\b)|(?:要不要|该不该|应不应该|需不需要|能不能不)|(?:是否|应该|该|需要|有必要|可以).*[吗嘛么]?[?？]\s*$|(?:应该|该|需要|有必要).*[吗嘛么]\s*$/iu;

/** The tool that an order is for; undefined for what this team may not do, or nobody can. */
export function toolOf({ writes }: TurnRun, text: string): WriteTool | undefined {
  const tool = END.test(text) ? expireSilence : BEGIN.test(text) ? createSilence : undefined;
  return tool !== undefined && writes?.allows(tool) === true ? tool : undefined;
}

/** `silence X for an hour`, `expire the silence on X`: a plan, which the tenant's policy then decides. */
export async function* answerWrite(
  run: TurnRun,
  question: Question,
  vocabulary: Vocabulary,
): Handling {
  const { writes } = run;
  const text = run.turn.text;
  const tool = toolOf(run, text);
  if (writes === undefined || tool === undefined) {
    const isAble = writes !== undefined && WRITE_TOOLS.some((one) => writes.allows(one));
    return {
      blocks: [
        isAble
          ? run.words.silencesOnly(writes.allows(createSilence), writes.allows(expireSilence))
          : run.words.readOnly,
        ...understood(run, { task: 'write' }),
      ],
    };
  }
  if (ASKS_WHETHER.test(text)) return { blocks: [writes.words.notOrdered] };
  try {
    return tool === expireSilence
      ? yield* endSilence(run, question, writes)
      : yield* beginSilence(run, question, writes, vocabulary);
  } catch (error) {
    if (!(error instanceof ToolInputError)) throw error;
    return { blocks: [writes.words.cannotPlan(run.words.toolRefusal(error))] };
  }
}
