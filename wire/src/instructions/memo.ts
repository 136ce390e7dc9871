import type { Instruction } from '../message.js';
import { MEMO_PROGRAM, MEMO_V1_PROGRAM } from '../programs.js';

/** Writes a text into the transaction's log. */
export function memo(text: string): Instruction {
  return { program: MEMO_PROGRAM, accounts: [], data: new TextEncoder().encode(text) };
}

/** The text of a memo of either version; undefined when it is another instruction or no UTF-8. */
export function parseMemo({ program, data }: Instruction): string | undefined {
  if (program !== MEMO_PROGRAM && program !== MEMO_V1_PROGRAM) return undefined;
  try {
    // Keep a leading byte order mark: it is part of the text.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}
