import { type Address, isAddress } from '@slipway/wire';

/** The calls that an instruction made to other programs, in order. */
export interface Calls {
  programs: Address[];
  /** Whether the last of them failed, which made the instruction fail. */
  isLastFailed: boolean;
}

/** As the runtime writes it; what a program logs itself begins with `Program log:` or `Program data:`. */
const LINE = /^Program (\S+) (?:invoke \[(\d+)\]|failed: )/;

/** Reads the calls of the last instruction that ran from the logs of a simulation. */
export function lastCalls(logs: readonly string[]): Calls {
  let programs: Address[] = [];
  let isLastFailed = false;
  for (const line of logs) {
    const [, program, depth] = LINE.exec(line) ?? [];
    if (program === undefined || !isAddress(program)) continue;
    if (depth === undefined) isLastFailed ||= program === programs.at(-1);
    else if (depth === '1') programs = [];
    else if (depth === '2') programs.push(program);
  }
  return { programs, isLastFailed };
}
